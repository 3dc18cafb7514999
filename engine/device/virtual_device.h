// The virtual GPU: streams, copy engines and memory of its own, with a stated model of time. The values are
// really computed, on a host thread for each stream, as soon as a work is submitted, which may be ahead of
// its modelled start (kLookahead); the recorded start and end are the modelled ones. One more thread follows
// the clock and ends works at their modelled ends, in that order over all streams: nobody is told before.
//
//   start    = max(end of the one before on the stream, ready)
//   compute  = launch latency + max(flops / rate, memory bytes / memory bandwidth)
//   copy     = copy latency + bytes / link bandwidth (lower from pageable memory)
//
// An op whose values are there more than kLateAfter after its modelled end ends when they are there, is
// marked late (trace::kSliceLate) and counted. Anything less is lost in the model: the host catches up.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/device/device.h"
#include "engine/device/device_clock.h"
#include "instrumentation/base/result.h"
#include "instrumentation/base/time.h"

namespace runahead::engine {

inline constexpr Duration kLateAfter = std::chrono::milliseconds(1);
// How far ahead of its modelled start a work is taken. A kernel gives a busy thread's core to another for 3
// to 4 ms at a time, so a host thread that loses its core twice in a row is still in time; and an op that
// becomes ready later than this before a stream is free can no longer be put first there.
inline constexpr Duration kLookahead = std::chrono::milliseconds(8);

struct VirtualModel {
  std::string_view preset = "default";
  Duration launch = std::chrono::microseconds(10);
  double flops_per_s = 10e9;
  // A streaming pass of one host core manages about twice this, so elementwise ops are computed in time.
  double memory_bytes_per_s = 4e9;
  Duration copy_latency = std::chrono::microseconds(10);
  double pinned_bytes_per_s = 1e9;
  double pageable_bytes_per_s = 0.5e9;
  std::size_t capacity_bytes = std::size_t{8} << 30;
  bool holds_values = true;  // false: timing only; works are not run
};

// "default" and those of real cards, which are timing-only.
[[nodiscard]] const std::vector<VirtualModel>& virtual_presets();
[[nodiscard]] Result<VirtualModel> find_virtual_preset(std::string_view name);

[[nodiscard]] std::string describe(const VirtualModel& model);
[[nodiscard]] Duration modelled_duration(const VirtualModel& model, StreamKind stream, const Cost& cost);

[[nodiscard]] std::unique_ptr<Device> make_virtual_device(std::string name, VirtualModel model,
                                                          std::shared_ptr<DeviceClock> clock);

}  // namespace runahead::engine
