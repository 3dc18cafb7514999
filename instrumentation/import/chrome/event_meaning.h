// The meaning of categories, names and arguments that the file format does not define: those of PyTorch's
// profiler (Kineto, old and new), of MXNet, of TensorFlow's timeline and of our own exports.
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
  bool on_device = false;  // the slice's thread is a stream of a device
  // The framework of the slice's op. If it is known, the name of the slice's process decides which kind the
  // slice has.
  OpSource ops = OpSource::kUnknown;
};

struct FlowMeaning {
  FlowKind kind = FlowKind::kOther;
  StringId name{};
  // True for Kineto: each id belongs to one flow, and inexact clocks may put an end before its start.
  bool unique_ids = false;
};

struct CounterMeaning {
  Unit unit = Unit::kNone;
  CounterRole role = CounterRole::kOther;
};

// What an allocator reported about one allocation or free.
struct MemoryMeaning {
  std::int64_t device_type = 0, device_id = 0;  // type 0: host memory
  std::int64_t size_bytes = 0;                  // bytes allocated by this call; negative: freed
  std::optional<double> live_bytes, reserved_bytes;
  std::optional<std::int64_t> address;  // address of the allocated memory
};

class EventMeanings {
 public:
  explicit EventMeanings(ImportNames& names);  // `names` must outlive this object

  // Returns the meaning of a slice. Moves arguments that become fields (in our own exports) out of
  // event.args.
  SliceMeaning of_slice(ChromeEvent& event);
  // of_edge() returns the meaning of a slice that has separate begin and end events; it sets only kind,
  // on_device and ops. of_async() returns the kind of an asynchronous slice. Both leave event.args unchanged.
  SliceMeaning of_edge(const ChromeEvent& event);
  SliceKind of_async(const ChromeEvent& event);
  FlowMeaning of_flow(const ChromeEvent& event);
  // `process`: the name of the counter's process, if it is known yet.
  CounterMeaning of_counter(const ChromeEvent& event, std::string_view process);
  // nullopt: the event is not an instant of an allocator.
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
  // Derives the meaning of a slice from the category of its event. For some categories, the name and the
  // arguments of the event count too.
  [[nodiscard]] SliceMeaning of_category(const Known& what, const ChromeEvent& event) const;
  [[nodiscard]] SliceKind kind_of_transfer(const ChromeEvent& event) const;
  void take_own_args(ChromeEvent& event, SliceMeaning& out) const;
  [[nodiscard]] std::int64_t integer(const ArgValue& value) const;  // 0: not an integer, or too large
  // Returns the value as a number of bytes. nullopt: it is not a number, or more than a recording can store
  // (kMaxSizeBytes).
  [[nodiscard]] std::optional<std::int64_t> size(const ArgValue& value) const;
  // Returns all 64 bits of an address. Writers write an address signed or unsigned, in decimal or as "0x...".
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
