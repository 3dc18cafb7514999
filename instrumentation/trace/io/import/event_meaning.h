// What the categories, names and arguments of events mean beyond the format: those of PyTorch's profiler
// (Kineto, old words and new) and of our own exports.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "instrumentation/trace/io/import/import_names.h"
#include "instrumentation/trace/io/import/json_event.h"
#include "instrumentation/trace/slice.h"

namespace runahead::trace::io {

struct SliceMeaning {
  SliceKind kind = SliceKind::kZone;
  std::int64_t size_bytes = 0;
  OpId op = kNoOp;
  std::uint8_t flags = 0;
  bool on_device = false;  // its thread is a device's stream
};

struct FlowMeaning {
  FlowKind kind = FlowKind::kOther;
  StringId name{};
  bool unique_ids = false;  // of Kineto, whose clocks may let an end come before its start
};

// One sample of an allocator.
struct MemoryMeaning {
  std::int64_t device_type = 0, device_id = 0;  // type 0: host memory
  std::int64_t size_bytes = 0;                  // allocated now; negative: freed
  std::optional<double> live_bytes, reserved_bytes;
  std::optional<std::int64_t> address;  // of the block
};

class EventMeanings {
 public:
  explicit EventMeanings(ImportNames& names);  // must outlive this

  // Of a slice. What it puts into fields (of our own exports) it takes out of event.args.
  SliceMeaning of_slice(ChromeEvent& event);
  FlowMeaning of_flow(const ChromeEvent& event);
  // nullopt: no instant of an allocator.
  std::optional<MemoryMeaning> of_memory(const ChromeEvent& event) const;

 private:
  enum class Category : std::uint8_t {
    kOther,
    kKernel,
    kMemcpy,
    kRuntime,
    kDeviceSync,
    kOnDevice,
    kUserAnnotation,
    kLaunchFlow,
    kUniqueFlow,
    kOwnSlice,
    kOwnFlow,
  };
  struct Known {
    Category category = Category::kOther;
    SliceKind slice_kind = SliceKind::kZone;
    FlowKind flow_kind = FlowKind::kOther;
  };

  [[nodiscard]] Known known(StringId category);
  [[nodiscard]] Known look_up(std::string_view category) const;
  void take_own_args(ChromeEvent& event, SliceMeaning& out) const;
  [[nodiscard]] std::int64_t integer(const ArgValue& value) const;
  [[nodiscard]] const Arg* find(const ChromeEvent& event, StringId key) const;

  ImportNames& names_;
  std::unordered_map<std::uint32_t, Known> known_;
  StringId last_category_{};
  Known last_;
  StringId bytes_, bytes_capital_, op_, flags_, memory_, total_allocated_, total_reserved_, device_type_,
      device_id_, address_;
};

}  // namespace runahead::trace::io
