#include "instrumentation/base/tick_clock.h"

#include <algorithm>
#include <cmath>
#include <fstream>

#include "instrumentation/base/time.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace runahead {
namespace {

// A TSC (the tick counter of the CPU) whose rate is outside these limits is not used, even if the CPU calls
// it "invariant". (8 ns per tick would also overflow ns_per_tick_fixed_.)
constexpr double kMinTicksPerNs = 0.25, kMaxTicksPerNs = 7.5;
// The calibration reads the TSC and CLOCK_MONOTONIC within about 20 ns of each other. Therefore a calibration
// over 5 ms gives the rate with an error of about 10 ppm. ClockDrift (record/clock_sync.h) shows how large
// the error becomes in a long capture.
constexpr std::int64_t kCalibrationNs = 5'000'000;

#if defined(__x86_64__)
bool has_invariant_tsc() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(0x80000000u, &a, &b, &c, &d) == 0 || a < 0x80000007u) return false;
  __get_cpuid(0x80000007u, &a, &b, &c, &d);
  return (d & (1u << 8)) != 0;
}

struct ClockPair {
  std::uint64_t ticks = 0;
  std::int64_t ns = 0;
};

// Reads the TSC and CLOCK_MONOTONIC as close together in time as possible. It tries a few times and takes the
// closest pair, because the thread may be interrupted between two reads.
ClockPair read_both() {
  ClockPair best;
  std::uint64_t best_gap = UINT64_MAX;
  for (int i = 0; i < 16; ++i) {
    const std::uint64_t before = __rdtsc();
    const std::int64_t ns = monotonic_ns();
    const std::uint64_t after = __rdtsc();
    if (after - before >= best_gap) continue;
    best_gap = after - before;
    best = {before + (after - before) / 2, ns};
  }
  return best;
}
#endif

}  // namespace

const TickClock& TickClock::get() {
  static const TickClock clock;
  return clock;
}

std::uint64_t TickClock::steady_now_ns() { return static_cast<std::uint64_t>(monotonic_ns()); }

TickClock::TickClock() {
  origin_monotonic_ns_ = monotonic_ns();
  origin_ticks_ = static_cast<std::uint64_t>(origin_monotonic_ns_);
#if defined(__x86_64__)
  if (has_invariant_tsc()) {
    const ClockPair first = read_both();
    while (monotonic_ns() - first.ns < kCalibrationNs) {
    }
    const ClockPair second = read_both();
    const double rate = static_cast<double>(static_cast<std::int64_t>(second.ticks - first.ticks)) /
                        static_cast<double>(second.ns - first.ns);
    if (rate >= kMinTicksPerNs && rate <= kMaxTicksPerNs) {
      is_tsc_ = true;
      ticks_per_ns_ = rate;
      ns_per_tick_ = 1.0 / rate;
      origin_ticks_ = first.ticks;
      origin_monotonic_ns_ = first.ns;
    }
  }
#endif
  ns_per_tick_fixed_ = static_cast<std::int64_t>(std::ldexp(ns_per_tick_, kFractionBits));
}

std::uint64_t TickClock::ticks_from_ns(std::int64_t ns) const {
  // Rounds up, with the rate of ns_from_ticks(), so that ns_from_ticks() maps the result to `ns` or later.
  const Int128 scaled = Int128{ns} << kFractionBits;
  Int128 span = scaled / ns_per_tick_fixed_;
  if (span * ns_per_tick_fixed_ < scaled) ++span;
  return origin_ticks_ + static_cast<std::uint64_t>(static_cast<std::int64_t>(span));
}

std::string boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  file >> id;
  return id;
}

}  // namespace runahead
