// The recorder in use, as the hooks see it: one process-wide word. A generation in place of a pointer, so
// that a recorder made later at the same address is never taken for the one before.
#pragma once

#include <atomic>
#include <cstdint>

#include "instrumentation/base/tick_clock.h"

namespace runahead::record::internal {

struct InUse {
  // 0: recording is off. Else the number of this start(), unique in the process. Written by Recorder::start
  // and stop under the registry's mutex; read by every hook, relaxed: a hook uses only its own thread's
  // buffer, and the slow path that gets one takes the mutex.
  std::atomic<std::uint64_t> generation{0};
  // True once a recorder has seen that TickClock reads the TSC: then a hook reads it without a call. Written
  // at start(), only ever to true; read relaxed (false merely takes the longer way to the same clock).
  std::atomic<bool> ticks_are_tsc{false};
};
inline constinit InUse in_use;

[[nodiscard]] inline std::uint64_t read_ticks() noexcept {
#if defined(__x86_64__)
  if (in_use.ticks_are_tsc.load(std::memory_order_relaxed)) [[likely]]
    return __rdtsc();
#endif
  return TickClock::get().now();
}

}  // namespace runahead::record::internal
