// What the categories, names and arguments of events mean beyond the format: those of PyTorch's profiler
// (Kineto, old words and new), of MXNet's, of TensorFlow's timeline and of our own exports.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "instrumentation/import/chrome/json_event.h"
#include "instrumentation/import/common/framework_places.h"
#include "instrumentation/import/common/import_names.h"
#include "instrumentation/trace/rows/slice.h"
#include "instrumentation/trace/rows/track.h"

namespace runahead::importers {
using namespace trace;

struct SliceMeaning {
  SliceKind kind = SliceKind::kZone;
  std::int64_t size_bytes = 0;
  OpId op = kNoOp;
  std::uint8_t flags = 0;
  bool on_device = false;             // its thread is a device's stream
  OpSource ops = OpSource::kUnknown;  // whose op it is; its kind depends on its process then
};

struct FlowMeaning {
  FlowKind kind = FlowKind::kOther;
  StringId name{};
  bool unique_ids = false;  // of Kineto, whose clocks may let an end come before its start
};

struct CounterMeaning {
  Unit unit = Unit::kNone;
  CounterRole role = CounterRole::kOther;
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
  // The same of a slice that is told in two events, or of an asynchronous one: event.args keep all, and only
  // kind, on_device and ops are set.
  SliceMeaning of_edge(const ChromeEvent& event);
  SliceKind of_async(const ChromeEvent& event);
  FlowMeaning of_flow(const ChromeEvent& event);
  // `process`: the name of the counter's process, as far as it is known.
  CounterMeaning of_counter(const ChromeEvent& event, std::string_view process);
  // nullopt: no instant of an allocator.
  std::optional<MemoryMeaning> of_memory(const ChromeEvent& event) const;

 private:
  enum class Category : std::uint8_t {
    kOther,
    kKernel,
    kMemcpy,
    kMtiaDevice,
    kRuntime,
    kDeviceSync,
    kOnDevice,
    kUserAnnotation,
    kMxnetOp,
    kMxnetCall,
    kMxnetMemory,
    kTensorflowOp,
    kTensorflowMemory,
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
  // Of an event of a device's or a program's track, by category and name.
  [[nodiscard]] SliceMeaning of_category(const Known& what, const ChromeEvent& event) const;
  [[nodiscard]] SliceKind kind_of_transfer(const ChromeEvent& event) const;
  void take_own_args(ChromeEvent& event, SliceMeaning& out) const;
  [[nodiscard]] std::int64_t integer(const ArgValue& value) const;  // 0: none, or too large
  // A number of bytes that a trace and its recordings hold; nullopt: none.
  [[nodiscard]] std::optional<std::int64_t> size(const ArgValue& value) const;
  // All 64 bits of an address, which writers tell with a sign or without, in decimal or as "0x...".
  [[nodiscard]] std::optional<std::int64_t> address(const ArgValue& value) const;
  [[nodiscard]] const Arg* find(const ChromeEvent& event, StringId key) const;

  ImportNames& names_;
  std::unordered_map<std::uint32_t, Known> known_;
  StringId last_category_{};
  Known last_;
  StringId bytes_, bytes_capital_, op_, flags_, memory_, total_allocated_, total_reserved_, device_type_,
      device_id_, address_, direction_, size_, dma_request_;
};

}  // namespace runahead::importers
