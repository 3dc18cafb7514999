#include "instrumentation/base/tick_clock.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdlib>

namespace runahead {
namespace {

TEST(TickClock, AgreesWithTheSteadyClockOverTenMilliseconds) {
  // The steady clock is read before and after each read of the TickClock. These reads give a lower and an
  // upper bound, so the test does not fail if the thread is preempted.
  const TickClock& clock = TickClock::get();
  using Steady = std::chrono::steady_clock;
  const Steady::time_point outer_begin = Steady::now();
  const std::int64_t begin_ns = clock.now_ns();
  const Steady::time_point inner_begin = Steady::now();
  while (Steady::now() - inner_begin < std::chrono::milliseconds(10)) {
  }
  const Steady::time_point inner_end = Steady::now();
  const std::int64_t took_ns = clock.now_ns() - begin_ns;
  const Steady::time_point outer_end = Steady::now();
  const auto count_ns = [](Steady::duration d) { return std::chrono::nanoseconds(d).count(); };
  // 0.1 % is far above the error of a clock that is calibrated over 5 ms, and far below the error of a clock
  // with a wrong rate.
  EXPECT_GE(took_ns, count_ns(inner_end - inner_begin) * 999 / 1000);
  EXPECT_LE(took_ns, count_ns(outer_end - outer_begin) * 1001 / 1000);
}

TEST(TickClock, NeverGoesBackOnOneThread) {
  const TickClock& clock = TickClock::get();
  std::uint64_t before = clock.now();
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t now = clock.now();
    ASSERT_GE(now, before);
    before = now;
  }
}

TEST(TickClock, ConversionIsMonotonicOverCenturies) {
  const TickClock& clock = TickClock::get();
  for (const std::int64_t far_ns : {std::int64_t{0}, std::int64_t{1'000'000'007}, std::int64_t{1} << 60}) {
    const std::uint64_t base = clock.ticks_from_ns(far_ns);
    std::int64_t before = clock.ns_from_ticks(base - 1);
    for (std::uint64_t i = 0; i < 1000; ++i) {
      const std::int64_t ns = clock.ns_from_ticks(base + i);
      ASSERT_GE(ns, before);
      ASSERT_LE(ns - before, static_cast<std::int64_t>(std::ceil(1 / clock.ticks_per_ns())));
      before = ns;
    }
  }
}

TEST(TickClock, TicksFromNsIsTheInverseToWithinOneStepOfTheCoarserClock) {
  const TickClock& clock = TickClock::get();
  const auto step_ticks = static_cast<std::int64_t>(std::ceil(clock.ticks_per_ns())) + 1;
  const auto step_ns = static_cast<std::int64_t>(std::ceil(1 / clock.ticks_per_ns()));
  for (std::int64_t ns : {-1'000'000'007LL, -1LL, 0LL, 1LL, 999LL, 86'400'000'000'001LL, 1LL << 60}) {
    const std::uint64_t ticks = clock.ticks_from_ns(ns);
    EXPECT_GE(clock.ns_from_ticks(ticks), ns);
    EXPECT_LE(clock.ns_from_ticks(ticks), ns + step_ns);
    EXPECT_LT(clock.ns_from_ticks(ticks - 1), ns);
    const std::uint64_t again = clock.ticks_from_ns(clock.ns_from_ticks(ticks + 1));
    EXPECT_LE(std::abs(static_cast<std::int64_t>(again - ticks - 1)), step_ticks) << ns;
  }
}

TEST(TickClock, TheOriginIsNanosecondZero) {
  const TickClock& clock = TickClock::get();
  EXPECT_EQ(clock.ns_from_ticks(clock.origin_ticks()), 0);
  EXPECT_EQ(clock.ticks_from_ns(0), clock.origin_ticks());
  EXPECT_GT(clock.origin_monotonic_ns(), 0);
}

}  // namespace
}  // namespace runahead
