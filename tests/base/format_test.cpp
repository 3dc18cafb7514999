#include "instrumentation/base/format.h"

#include <gtest/gtest.h>

#include <cmath>

namespace runahead {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

TEST(FormatDuration, PicksTheUnitThatLeavesThreeDigits) {
  EXPECT_EQ(format_duration(nanoseconds(0)), "0 ns");
  EXPECT_EQ(format_duration(nanoseconds(987)), "987 ns");
  EXPECT_EQ(format_duration(nanoseconds(999)), "999 ns");
  EXPECT_EQ(format_duration(nanoseconds(1'000)), "1.00 µs");
  EXPECT_EQ(format_duration(microseconds(1280)), "1.28 ms");
  EXPECT_EQ(format_duration(milliseconds(12'345)), "12.3 s");
  EXPECT_EQ(format_duration(seconds(125)), "2 min 05 s");
  EXPECT_EQ(format_duration(seconds(3725)), "1 h 02 min");
  EXPECT_EQ(format_duration(microseconds(-1280)), "-1.28 ms");
}

TEST(FormatDuration, RoundingUpMovesToTheNextUnit) {
  EXPECT_EQ(format_duration(nanoseconds(999'960)), "1.00 ms");
  EXPECT_EQ(format_duration(nanoseconds(999'400)), "999 µs");
  EXPECT_EQ(format_duration(nanoseconds(9'999)), "10.0 µs");
  EXPECT_EQ(format_duration(milliseconds(59'970)), "1 min 00 s");
}

TEST(FormatBytes, UsesPowersOfAThousand) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(999), "999 B");
  EXPECT_EQ(format_bytes(1000), "1.00 kB");
  EXPECT_EQ(format_bytes(340'700'000), "341 MB");
  EXPECT_EQ(format_bytes(-1.05e9), "-1.05 GB");
  EXPECT_EQ(format_bytes_per_s(5.12e9), "5.12 GB/s");
}

TEST(FormatCount, KeepsWholeNumbersWhole) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(-0.0), "0");
  EXPECT_EQ(format_count(412), "412");
  EXPECT_EQ(format_count(12'345), "12.3 k");
  EXPECT_EQ(format_count(4'709'000), "4.71 M");
  EXPECT_EQ(format_count(0.5), "0.5");
  EXPECT_EQ(format_rate(412), "412 /s");
  EXPECT_EQ(format_rate(95.71), "95.7 /s");
  EXPECT_EQ(format_count(std::nan("")), "n/a");
}

TEST(FormatPercent, ShowsSmallSharesToo) {
  EXPECT_EQ(format_percent(0), "0 %");
  EXPECT_EQ(format_percent(0.713), "71 %");
  EXPECT_EQ(format_percent(0.0031), "0.31 %");
  EXPECT_EQ(format_percent(0.051), "5.1 %");
  EXPECT_EQ(format_percent(1), "100 %");
  EXPECT_EQ(format_percent(0.00001), "<0.01 %");
}

TEST(FormatRatio, HasTwoDigitsAfterThePointBelowTen) {
  EXPECT_EQ(format_ratio(0.233), "x0.23");
  EXPECT_EQ(format_ratio(12.4), "x12.4");
  EXPECT_EQ(format_ratio(1), "x1.00");
  EXPECT_EQ(format_ratio(INFINITY), "n/a");
}

TEST(FormatChange, DividesWhatBecameFarLess) {
  EXPECT_EQ(format_change(0.233), "x0.23");
  EXPECT_EQ(format_change(1.0 / 226), "\u00f7226");
  EXPECT_EQ(format_change(0), "x0.00");
}

TEST(FormatAxisTime, WritesJustEnoughDigitsToTellTicksApart) {
  EXPECT_EQ(format_axis_time(timestamp_from_ns(0), milliseconds(1)), "0 s");
  EXPECT_EQ(format_axis_time(timestamp_from_ns(1'250'000'000), milliseconds(5)), "1.250 s");
  EXPECT_EQ(format_axis_time(timestamp_from_ns(1'250'000'000), milliseconds(50)), "1.25 s");
  EXPECT_EQ(format_axis_time(timestamp_from_ns(184'200'000'000), milliseconds(200)), "3 min 04.2 s");
  EXPECT_EQ(format_axis_time(timestamp_from_ns(250'000), microseconds(50)), "250 µs");
  EXPECT_EQ(format_axis_time(timestamp_from_ns(1'250'000), microseconds(50)), "1.25 ms");
  EXPECT_EQ(format_axis_time(timestamp_from_ns(-250), nanoseconds(50)), "-250 ns");
  EXPECT_EQ(format_axis_time(timestamp_from_ns(12'000'000'010), nanoseconds(10)), "12.00000001 s");
  EXPECT_EQ(format_axis_time(timestamp_from_ns(7'384'000'000'000), seconds(1)), "2 h 03 min 04 s");
}

TEST(FormatAxisTime, NeighbouringTicksNeverReadTheSame) {
  for (const std::int64_t step : {1, 2, 5, 10, 25, 1'000, 20'000, 500'000, 2'000'000, 50'000'000}) {
    for (const std::int64_t base : {0LL, 999'999'999LL, 60'000'000'000LL, 3'600'000'000'000LL}) {
      const std::int64_t tick = base / step * step;
      const auto a = format_axis_time(timestamp_from_ns(tick), Duration{step});
      const auto b = format_axis_time(timestamp_from_ns(tick + step), Duration{step});
      EXPECT_NE(a, b) << step << " at " << tick;
    }
  }
}

}  // namespace
}  // namespace runahead
