// The recorder in use, as the hooks see it: one process-wide word. The word is a generation number and not a
// pointer, so that a later recorder at the same address is never mistaken for an earlier recorder.
#pragma once

#include <atomic>
#include <cstdint>

#include "instrumentation/base/tick_clock.h"

namespace runahead::record::internal {

struct InUse {
  // 0: recording is off. Otherwise the number of the latest Recorder::start(); each start in the process has
  // its own number. Recorder::start and stop write it under the registry's mutex. Every hook reads it
  // relaxed. The relaxed order is enough, because a hook uses only its own thread's buffer, and the slow path
  // that gets a buffer locks the mutex.
  std::atomic<std::uint64_t> generation{0};
  // True once a recorder has found that TickClock reads the TSC; a hook then reads the TSC without a call.
  // Only start() writes it, and only to true. Hooks read it relaxed: if a hook still sees false, it reads the
  // same clock by the slower path.
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
