#include "instrumentation/analysis/duration_counts.h"

#include <gtest/gtest.h>

#include "tests/support/literals.h"
#include "tests/support/random.h"

namespace runahead::analysis {
namespace {

using namespace testing;  // NOLINT: for literals such as 1_ms

void expect_same_counts(const DurationHistogram& got, const DurationHistogram& exact) {
  EXPECT_EQ(got.count, exact.count);
  EXPECT_EQ(got.total, exact.total);
  EXPECT_EQ(got.min, exact.min);
  EXPECT_EQ(got.max, exact.max);
  ASSERT_EQ(got.bins.size(), exact.bins.size());
  for (std::size_t i = 0; i < got.bins.size(); ++i) {
    EXPECT_EQ(got.bins[i].least, exact.bins[i].least);
    EXPECT_EQ(got.bins[i].most, exact.bins[i].most);
    EXPECT_EQ(got.bins[i].count, exact.bins[i].count) << i;
    EXPECT_EQ(got.bins[i].total, exact.bins[i].total) << i;
  }
}

TEST(DurationCounts, AreNothingAtFirst) {
  EXPECT_TRUE(DurationCounts().empty());
  EXPECT_EQ(DurationCounts().histogram().count, 0u);
}

TEST(DurationCounts, OfFewAreExact) {
  Random random;
  DurationCounts counts;
  std::vector<Duration> all;
  for (std::size_t i = 0; i < DurationCounts::kMostExact; ++i) {
    all.push_back(Duration{random.magnitude(1'000'000'000)});
    counts.add(all.back());
  }
  const DurationHistogram exact = duration_histogram(all);
  expect_same_counts(counts.histogram(), exact);
  EXPECT_EQ(counts.histogram().percentiles, exact.percentiles);
}

TEST(DurationCounts, OfManyHavePercentilesWithinAQuarterOfAThousandth) {
  Random random;
  for (const std::int64_t high : {std::int64_t{30}, std::int64_t{5'000}, std::int64_t{3'000'000'000}}) {
    DurationCounts counts;
    std::vector<Duration> all;
    for (int i = 0; i < 30'000; ++i) {
      all.push_back(Duration{random.chance(0.5) ? random.magnitude(high) : random.integer(0, high)});
      counts.add(all.back());
    }
    const DurationHistogram exact = duration_histogram(all), got = counts.histogram();
    expect_same_counts(got, exact);
    for (std::size_t i = 0; i < exact.percentiles.size(); ++i) {
      const auto want = static_cast<double>(exact.percentiles[i].count());
      EXPECT_NEAR(static_cast<double>(got.percentiles[i].count()), want, want / 4096) << i << " of " << high;
    }
  }
}

TEST(DurationCounts, HoldTheLongestThereIs) {
  DurationCounts counts;
  for (std::size_t i = 0; i <= DurationCounts::kMostExact; ++i) counts.add(1_ns);
  counts.add(Duration::max());
  EXPECT_EQ(counts.histogram().max, Duration::max());
  EXPECT_EQ(counts.histogram().percentiles[0], 1_ns);
  EXPECT_EQ(counts.histogram().bins.back().count, 1u);
}

}  // namespace
}  // namespace runahead::analysis
