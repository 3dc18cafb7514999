#include "instrumentation/analysis/duration_histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string_view>

#include "instrumentation/analysis/slice_search.h"
#include "instrumentation/analysis/statistics.h"
#include "tests/support/random.h"
#include "tests/support/trace_builder.h"

namespace runahead::analysis {
namespace {

using namespace runahead::testing;
using trace::Trace;

constexpr TimeRange kAll{Timestamp{}, Timestamp{std::chrono::hours(1)}};

// The histogram of the durations of the slices that a search for `words` finds.
DurationHistogram of_found(const Trace& trace, std::string_view words) {
  const std::atomic<bool> go_on{false};
  return duration_histogram(
      find_slices(trace, *parse_slice_search(words), kAll, FoundOrder::kByTime, 0, go_on).durations);
}

TEST(HistogramBins, EachBeginsWhereTheOneBeforeEndsFourToADoubling) {
  for (std::size_t bin = 0; bin < 220; ++bin) {
    ASSERT_LT(bin_begin(bin), bin_begin(bin + 1));
    ASSERT_EQ(bin_of(bin_begin(bin)), bin);
    ASSERT_EQ(bin_of(bin_begin(bin + 1) - Duration{1}), bin);
  }
  EXPECT_EQ(bin_begin(8), Duration{8});
  EXPECT_EQ(bin_begin(12), Duration{16});
  EXPECT_EQ(bin_begin(8 + 4 * 20), Duration{8 << 20});
}

TEST(HistogramBins, HoldTheLongestThatTimeCanSay) {
  EXPECT_LE(bin_begin(bin_of(Duration{std::int64_t{1} << 61})), Duration{std::int64_t{1} << 61});
}

TEST(DurationHistogram, OfNothingIsEmpty) {
  const DurationHistogram none = duration_histogram({});
  EXPECT_TRUE(none.bins.empty());
  EXPECT_EQ(none.count, 0u);
  EXPECT_EQ(none.mean(), Duration{});
}

TEST(DurationHistogram, OfOneSliceIsOneBin) {
  const Trace trace = TraceBuilder{}.track("a").slice("x", 0_us, 5_us).build();
  const DurationHistogram one = of_found(trace, "");
  ASSERT_EQ(one.bins.size(), 1u);
  EXPECT_LE(one.bins[0].least, 5_us);
  EXPECT_GE(one.bins[0].most, 5_us);
  for (const Duration percentile : one.percentiles) EXPECT_EQ(percentile, 5_us);
}

TEST(DurationHistogram, CountsEachSliceInItsBinAndAgreesWithTheStatistics) {
  Random random;
  TraceBuilder builder;
  builder.track("a");
  Duration at{};
  for (int i = 0; i < 5000; ++i) {
    const Duration took{random.magnitude(1'000'000)};
    builder.slice(i % 3 == 0 ? "x" : "y", at, took);
    at += took + Duration{1};
  }
  const Trace trace = builder.build();
  const DurationHistogram got = of_found(trace, "name=y");
  std::uint64_t count = 0;
  Duration total{};
  for (const DurationHistogram::Bin& bin : got.bins) {
    count += bin.count;
    total += bin.total;
    const auto held = static_cast<std::int64_t>(bin.count);
    EXPECT_GE(bin.total, bin.least * held);
    EXPECT_LE(bin.total, bin.most * held);
  }
  EXPECT_GT(got.bins.front().count, 0u);
  EXPECT_GT(got.bins.back().count, 0u);
  const auto names = statistics_by_name(trace, kAll);
  const auto y = std::ranges::find(names, "y", &NameStatistics::name);
  ASSERT_NE(y, names.end());
  EXPECT_EQ(count, y->count);
  EXPECT_EQ(got.count, y->count);
  EXPECT_EQ(total, y->total);
  EXPECT_EQ(got.total, y->total);
  EXPECT_EQ(got.min, y->min);
  EXPECT_EQ(got.max, y->max);
  EXPECT_EQ(got.percentiles[0], y->p50);
  EXPECT_EQ(got.percentiles[3], y->p99);
}

}  // namespace
}  // namespace runahead::analysis
