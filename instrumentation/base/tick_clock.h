// The raw clock of the capture path: the TSC (the CPU's time stamp counter) if its rate is invariant (a read
// costs about 10 ns), otherwise the steady clock. The first use calibrates the clock once against
// CLOCK_MONOTONIC (about 5 ms). After that its rate never changes. record/clock_sync.h measures the drift in
// a long capture, but does not correct it.
#pragma once

#include <cstdint>
#include <string>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace runahead {

// Identifies this machine since its last start: all its processes read the same clocks. Empty: unknown.
[[nodiscard]] std::string boot_id();

class TickClock {
 public:
  // The clock of the process. Thread-safe. The first call calibrates it.
  [[nodiscard]] static const TickClock& get();

  // The current time in ticks. Never goes back on one thread. Times of different threads are as consistent as
  // the TSCs of the machine's cores.
  [[nodiscard]] std::uint64_t now() const {
#if defined(__x86_64__)
    if (is_tsc_) return __rdtsc();
#endif
    return steady_now_ns();
  }

  // These functions convert between ticks and nanoseconds since the origin of the calibration. Both are
  // linear and monotonic. ticks_from_ns() returns the first tick that maps to `ns` or later, so converting a
  // value there and back changes it by at most one step of the coarser clock.
  [[nodiscard]] std::int64_t ns_from_ticks(std::uint64_t ticks) const {
    const auto span = static_cast<std::int64_t>(ticks - origin_ticks_);
    return static_cast<std::int64_t>((Int128{span} * ns_per_tick_fixed_) >> kFractionBits);
  }
  [[nodiscard]] std::uint64_t ticks_from_ns(std::int64_t ns) const;
  [[nodiscard]] std::int64_t now_ns() const { return ns_from_ticks(now()); }

  [[nodiscard]] bool is_tsc() const { return is_tsc_; }
  [[nodiscard]] double ticks_per_ns() const { return ticks_per_ns_; }
  [[nodiscard]] std::uint64_t origin_ticks() const { return origin_ticks_; }
  [[nodiscard]] std::int64_t origin_monotonic_ns() const { return origin_monotonic_ns_; }

 private:
  __extension__ using Int128 = __int128;
  // Fixed point with 60 fractional bits: a rate below 8 ns per tick fits 63 bits, and its product with any
  // 64-bit span fits 128 bits.
  static constexpr int kFractionBits = 60;

  TickClock();
  static std::uint64_t steady_now_ns();

  bool is_tsc_ = false;
  double ticks_per_ns_ = 1.0;
  double ns_per_tick_ = 1.0;
  std::int64_t ns_per_tick_fixed_ = 0;  // ns_per_tick_ in fixed point: no rounding errors over long times
  std::uint64_t origin_ticks_ = 0;
  std::int64_t origin_monotonic_ns_ = 0;
};

}  // namespace runahead
