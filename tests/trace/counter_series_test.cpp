#include "instrumentation/trace/counter_series.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/support/literals.h"
#include "tests/trace/random_rows.h"

namespace runahead::trace {

// The comparisons below and their failure messages use this operator.
inline bool operator==(const CounterSeries::Extremes& a, const CounterSeries::Extremes& b) {
  return a.min == b.min && a.max == b.max;
}

namespace {

using namespace testing;  // NOLINT: for literals such as 1_ms

std::optional<double> naive_value_at(const std::vector<CounterSample>& rows, Timestamp t) {
  std::optional<double> out;
  for (const CounterSample& row : rows) {
    if (row.at <= t) out = row.value;
  }
  return out;
}

std::optional<CounterSeries::Extremes> naive_extremes(const std::vector<CounterSample>& rows,
                                                      TimeRange range) {
  std::vector<double> values;
  const bool at_begin =
      std::any_of(rows.begin(), rows.end(), [&](const auto& r) { return r.at == range.begin; });
  const auto last_value = naive_value_at(rows, range.begin);
  if (last_value && !at_begin) values.push_back(*last_value);
  for (const CounterSample& row : rows) {
    if (range.contains(row.at)) values.push_back(row.value);
  }
  if (values.empty()) return std::nullopt;
  const auto [min, max] = std::minmax_element(values.begin(), values.end());
  return CounterSeries::Extremes{*min, *max};
}

TEST(CounterSeries, GivesBackEverySampleBitForBit) {
  Random random;
  std::vector<CounterSample> rows = random_samples(random, 5000);
  rows[10].value = -0.0;
  rows[2000].value = 1e300;
  CounterSeries series;
  series.append(rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ASSERT_EQ(series.sample(i), rows[i]);
    ASSERT_EQ(std::signbit(series.sample(i).value), std::signbit(rows[i].value));
  }
}

TEST(CounterSeries, FindsValuesAndExtremesAsANaiveOneDoes) {
  Random random;
  const std::vector<CounterSample> rows = random_samples(random, 4000);
  CounterSeries series;
  for (std::size_t i = 0; i < rows.size(); i += 100) series.append({rows.data() + i, 100});
  for (int i = 0; i < 500; ++i) {
    const auto near = [&] {
      const Timestamp t = rows[static_cast<std::size_t>(random.integer(0, 3999))].at;
      return t + Duration{random.integer(-1, 1)};
    };
    const Timestamp a = near(), b = near();
    const TimeRange range{std::min(a, b), std::max(a, b)};
    ASSERT_EQ(series.value_at(a), naive_value_at(rows, a));
    if (range.empty()) {
      ASSERT_EQ(series.extremes(range), std::nullopt);
    } else {
      ASSERT_EQ(series.extremes(range), naive_extremes(rows, range));
    }
  }
}

TEST(CounterSeries, HoldsItsLastValueAndHasNoneBeforeTheFirst) {
  CounterSeries series;
  EXPECT_EQ(series.value_at(at(5_ns)), std::nullopt);
  series.append(std::vector<CounterSample>{{at(10_ns), 3}, {at(10_ns), 4}});
  EXPECT_EQ(series.value_at(at(9_ns)), std::nullopt);
  EXPECT_EQ(series.value_at(at(10_ns)), 4);
  EXPECT_EQ(series.value_at(at(1_s)), 4);
  EXPECT_EQ(series.extremes(range(0_ns, 10_ns)), std::nullopt);
  EXPECT_EQ(series.extremes(range(0_ns, 11_ns)), (CounterSeries::Extremes{3, 4}));
  EXPECT_EQ(series.extremes(range(11_ns, 12_ns)), (CounterSeries::Extremes{4, 4}));
}

TEST(CounterSeries, NotANumberIsKeptButIsNoExtreme) {
  CounterSeries series;
  series.append(std::vector<CounterSample>{{at(1_ns), std::nan("")}, {at(2_ns), 5}});
  EXPECT_TRUE(std::isnan(series.sample(0).value));
  EXPECT_EQ(series.extremes(range(0_ns, 2_ns)), std::nullopt);
  EXPECT_EQ(series.extremes(range(0_ns, 3_ns)), (CounterSeries::Extremes{5, 5}));
}

TEST(CounterSeries, KnowsTheExtremesOfAllItsSamplesAlsoOfEvictedOnes) {
  CounterSeries series;
  EXPECT_TRUE(series.all_extremes().empty());
  std::vector<CounterSample> rows;
  for (int i = 0; i < 20'000; ++i)
    rows.push_back({at(Duration{i}), i == 3 ? 1e6 : static_cast<double>(i % 7)});
  rows.push_back({at(Duration{20'000}), std::nan("")});
  series.append(rows);
  EXPECT_EQ(series.all_extremes().min, 0);
  EXPECT_EQ(series.all_extremes().max, 1e6);
  EXPECT_GT(series.evict_before(at(Duration{15'000})), 0u);
  EXPECT_EQ(series.all_extremes().max, 1e6);
}

TEST(CounterSeries, LettingGoKeepsTheValueAtThatTimeFindable) {
  Random random;
  const std::vector<CounterSample> rows = random_samples(random, 6000);
  CounterSeries series;
  series.append(rows);
  const Timestamp t = rows[3500].at;
  EXPECT_GT(series.evict_before(t), 0u);
  EXPECT_EQ(series.value_at(t), naive_value_at(rows, t));
  for (std::uint64_t row = series.first_row(); row < series.end_row(); ++row)
    ASSERT_EQ(series.sample(row), rows[row]);
}

TEST(CounterSeries, WithNoLaterSampleNothingIsLetGo) {
  Random random;
  // exactly one sealed block, with no further rows
  const std::vector<CounterSample> rows = random_samples(random, kBlockRows);
  CounterSeries series;
  series.append(rows);
  EXPECT_EQ(series.evict_before(rows.back().at + 1_s), 0u);
  EXPECT_EQ(series.value_at(rows.back().at + 1_s), rows.back().value);
}

}  // namespace
}  // namespace runahead::trace
