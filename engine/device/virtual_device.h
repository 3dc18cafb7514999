// The virtual GPU: a device with streams, copy engines, memory, and a model of time. The values are really
// computed, on one host thread per stream, as soon as a work item is submitted. An item may be submitted, and
// therefore computed, before its modelled start (kLookahead). The recorded start and end are the modelled
// times. One more thread follows the clock. This thread ends work items at their modelled ends, in the order
// of these ends over all streams. Frontends and other devices see no result of an item before its modelled
// end.
//
//   start    = max(end of the previous work on the stream, ready)
//   compute  = launch latency + max(flops / rate, memory bytes / memory bandwidth)
//   copy     = copy latency + bytes / link bandwidth (lower for pageable memory)
//
// An op is late if its values become ready more than kLateAfter after its modelled end. A late op ends when
// its values are ready; it is marked (trace::kSliceLate) and counted. A smaller delay does not change the
// modelled times, because the host catches up.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/device/device.h"
#include "engine/device/device_clock.h"
#include "instrumentation/base/result.h"
#include "instrumentation/base/time.h"
#include "instrumentation/trace/rows/slice.h"

namespace runahead::engine {

inline constexpr Duration kLateAfter = trace::kLateAfter;
// A work item may be submitted at most this long before its modelled start. Why 8 ms: the operating system
// may give a busy thread's core to another thread for 3 to 4 ms. A host thread that loses its core twice in
// succession still computes the values in time. The price: the stream also chooses its next op this early. An
// op that becomes ready after the choice cannot go first.
inline constexpr Duration kLookahead = std::chrono::milliseconds(8);

struct VirtualModel {
  std::string_view preset = "default";
  Duration launch = std::chrono::microseconds(10);
  double flops_per_s = 10e9;
  // One host core reads and writes memory at about twice this rate. Therefore the host computes the values of
  // elementwise ops before their modelled end.
  double memory_bytes_per_s = 4e9;
  Duration copy_latency = std::chrono::microseconds(10);
  double pinned_bytes_per_s = 1e9;
  double pageable_bytes_per_s = 0.5e9;
  std::size_t capacity_bytes = std::size_t{8} << 30;
  bool holds_values = true;  // false: timing only; the functions of ops are not called
};

// Returns "default" and the presets that model real cards. Only "default" has values; the others are
// timing-only.
[[nodiscard]] const std::vector<VirtualModel>& virtual_presets();
[[nodiscard]] Result<VirtualModel> find_virtual_preset(std::string_view name);

[[nodiscard]] std::string describe(const VirtualModel& model);
[[nodiscard]] Duration modelled_duration(const VirtualModel& model, StreamKind stream, const Cost& cost);

[[nodiscard]] std::unique_ptr<Device> make_virtual_device(std::string name, VirtualModel model,
                                                          std::shared_ptr<DeviceClock> clock);

}  // namespace runahead::engine
