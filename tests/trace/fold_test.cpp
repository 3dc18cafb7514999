#include "instrumentation/trace/fold.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

#include "tests/support/literals.h"
#include "tests/trace/random_rows.h"

namespace runahead::trace {
namespace {

using namespace testing;  // NOLINT: for literals such as 1_ms

using Runs = std::vector<Run>;  // in a test, `Run` alone means a member of testing::Test

Lane lane_of(const std::vector<Slice>& rows) {
  Lane lane;
  lane.append(rows);
  return lane;
}

Slice slice(Duration begin, Duration duration) { return {.begin = at(begin), .end = at(begin + duration)}; }

// A fold joins narrow slices into runs. Each run is drawn as one box. This function checks, row by row, the
// rules that every fold must keep.
void expect_valid(const std::vector<Slice>& rows, TimeRange range, int width_px, int min_px,
                  const Runs& runs) {
  const double span_ns =
      std::max(1.0, static_cast<double>(ns_from(range.duration())) * min_px / static_cast<double>(width_px));
  ASSERT_LE(runs.size(), static_cast<std::size_t>(2 * width_px / min_px + 3));
  std::uint64_t covered = 0;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const Run& run = runs[r];
    ASSERT_GE(run.row_count, 1u);
    if (r > 0) {
      ASSERT_EQ(run.first_row, runs[r - 1].first_row + runs[r - 1].row_count);
    }
    Duration busy{};
    std::uint64_t longest = run.first_row;
    for (std::uint64_t i = run.first_row; i < run.first_row + run.row_count; ++i) {
      busy += rows[i].duration();
      if (rows[i].duration() > rows[longest].duration()) longest = i;
      if (run.row_count > 1) {
        ASSERT_LT(static_cast<double>(ns_from(rows[i].duration())), span_ns + 1);
      }
    }
    ASSERT_EQ(run.begin, rows[run.first_row].begin);
    ASSERT_EQ(run.end, rows[run.first_row + run.row_count - 1].end);
    ASSERT_EQ(run.busy, busy);
    ASSERT_EQ(run.longest_row, longest);
    if (run.row_count > 1) {
      ASSERT_LT(static_cast<double>(ns_from(run.end - run.begin)), 2 * span_ns + 2);
    }
    covered += run.row_count;
  }
  // Every slice that overlaps the range is in exactly one run. No other slice is in a run.
  std::uint64_t meets = 0;
  for (const Slice& s : rows) {
    const bool in = s.begin < range.end && (s.end > range.begin || s.begin >= range.begin);
    meets += in ? 1 : 0;
  }
  ASSERT_EQ(covered, meets);
}

TEST(FoldLane, CoversEachSliceThatMeetsTheRangeOnce) {
  Random random;
  for (int round = 0; round < 200; ++round) {
    const std::vector<Slice> rows = random_slices(random, static_cast<std::size_t>(random.integer(1, 3000)));
    const Lane lane = lane_of(rows);
    const std::int64_t end_ns = ns_from(rows.back().end);
    const Timestamp begin = timestamp_from_ns(random.integer(-10, end_ns + 10));
    const TimeRange range{begin, begin + Duration{1 + random.magnitude(end_ns * 2)}};
    const int width_px = static_cast<int>(random.integer(1, 2000));
    const int min_px = static_cast<int>(random.integer(1, 4));
    Runs runs;
    fold_lane(lane, range, width_px, min_px, runs);
    ASSERT_NO_FATAL_FAILURE(expect_valid(rows, range, width_px, min_px, runs));
  }
}

TEST(FoldLane, ASliceNarrowerThanAPixelIsStillThere) {
  const Lane lane = lane_of({slice(1000_ns, 1_ns)});
  Runs runs;
  fold_lane(lane, range(0_ns, 1_s), 100, 1, runs);
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].row_count, 1u);
  EXPECT_EQ(runs[0].longest_row, 0u);
}

TEST(FoldLane, ASliceOfLengthZeroAtTheVeryBeginIsThere) {
  const Lane lane = lane_of({slice(0_ns, 10_ns), slice(10_ns, 0_ns)});
  Runs runs;
  fold_lane(lane, range(10_ns, 20_ns), 10, 1, runs);
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].first_row, 1u);
  fold_lane(lane, range(0_ns, 10_ns), 10, 1, runs);
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].first_row, 0u);
}

TEST(FoldLane, WideSlicesStandAloneAndNarrowNeighboursBecomeOne) {
  const Lane lane =
      lane_of({slice(0_ns, 300_ns), slice(301_ns, 1_ns), slice(303_ns, 2_ns), slice(400_ns, 100_ns)});
  Runs runs;
  fold_lane(lane, range(0_ns, 1000_ns), 10, 1, runs);
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_EQ(runs[0].row_count, 1u);
  EXPECT_EQ(runs[1].row_count, 2u);
  EXPECT_EQ(runs[1].busy, 3_ns);
  EXPECT_EQ(runs[1].longest_row, 2u);
  EXPECT_EQ(runs[2].row_count, 1u);
}

TEST(FoldLane, RunsStayTheSameWhileTheViewSlides) {
  Random random;
  const std::vector<Slice> rows = random_slices(random, 3000);
  const Lane lane = lane_of(rows);
  const Duration width = (rows.back().end - rows.front().begin) / 4;
  Runs before, after;
  fold_lane(lane, {at(0_ns), at(width)}, 200, 1, before);
  fold_lane(lane, {at(width / 3), at(width / 3 + width)}, 200, 1, after);
  // The two folds need to agree only on the runs that are far from the edges of both views.
  const Timestamp from = at(width / 3 + width / 50), until = at(width - width / 50);
  const auto inside = [&](const Runs& runs) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> out;
    for (const auto& run : runs) {
      if (run.begin >= from && run.end < until) out.emplace_back(run.first_row, run.row_count);
    }
    return out;
  };
  EXPECT_EQ(inside(before), inside(after));
}

TEST(FoldLane, WorksAtTheFinestZoomAndFarFromTheOrigin) {
  const Duration far = Duration{INT64_C(4'000'000'000'000'000'000)};
  const Lane lane =
      lane_of({{.begin = at(far), .end = at(far + 1_ns)}, {.begin = at(far + 1_ns), .end = at(far + 3_ns)}});
  Runs runs;
  fold_lane(lane, {at(far), at(far + 1_ns)}, 1000, 1, runs);
  ASSERT_EQ(runs.size(), 1u);
  fold_lane(lane, {at(-1_s), at(far + 5_ns)}, 1000, 1, runs);
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].row_count, 2u);
}

TEST(FoldCounter, EveryColumnHasTheExactExtremesOfWhatHoldsInIt) {
  Random random;
  for (int round = 0; round < 60; ++round) {
    const std::vector<CounterSample> rows =
        random_samples(random, static_cast<std::size_t>(random.integer(1, 3000)));
    CounterSeries series;
    series.append(rows);
    const std::int64_t end_ns = ns_from(rows.back().at);
    const Timestamp begin = timestamp_from_ns(random.integer(-1000, end_ns + 10));
    const int width_px = static_cast<int>(random.integer(1, 300));
    // The time of a pixel is a whole number of ns. Therefore the test knows the exact time range of each
    // column.
    const Duration per_px{1 + random.magnitude(2 * end_ns / width_px + 1)};
    std::vector<CounterColumn> columns;
    fold_counter(series, {begin, begin + per_px * width_px}, width_px, columns);
    std::map<int, CounterColumn> by_x;
    for (const CounterColumn& column : columns) by_x[column.x_px] = column;
    ASSERT_EQ(by_x.size(), columns.size());
    for (int x = 0; x < width_px; ++x) {
      const TimeRange column{begin + per_px * x, begin + per_px * (x + 1)};
      const auto extremes = series.extremes(column);
      ASSERT_EQ(by_x.contains(x), extremes.has_value()) << x;
      if (!extremes) continue;
      ASSERT_EQ(by_x[x].min, extremes->min) << x;
      ASSERT_EQ(by_x[x].max, extremes->max) << x;
      ASSERT_EQ(by_x[x].last, series.value_at(column.end - 1_ns)) << x;
    }
  }
}

TEST(FoldCounter, ColumnsOfAGridAreExactAndTheSameWhereverAViewOfItBegins) {
  Random random;
  for (int round = 0; round < 60; ++round) {
    const std::vector<CounterSample> rows =
        random_samples(random, static_cast<std::size_t>(random.integer(1, 5000)));
    CounterSeries series;
    series.append(rows);
    const std::int64_t end_ns = ns_from(rows.back().at);
    ColumnGrid grid{
        .origin = timestamp_from_ns(random.integer(-1000, end_ns)),
        .ns_per_px = static_cast<double>(1 + random.magnitude(end_ns / 100 + 1)) + random.real(0, 1)};
    grid.first = random.integer(-300, 300);
    grid.count = static_cast<int>(random.integer(1, 600));
    std::vector<CounterColumn> columns, part;
    FoldBudget budget;
    (void)fold_counter(series, grid, columns, budget);
    ASSERT_FALSE(budget.spent);
    for (const CounterColumn& column : columns) {
      const TimeRange held{grid.begin_of(grid.first + column.x_px),
                           grid.begin_of(grid.first + column.x_px + 1)};
      const auto extremes = series.extremes(held);
      ASSERT_TRUE(extremes);
      ASSERT_EQ(column.min, extremes->min);
      ASSERT_EQ(column.max, extremes->max);
      ASSERT_EQ(column.last, series.value_at(held.end - 1_ns));
    }
    ColumnGrid slid = grid;
    slid.first += random.integer(0, grid.count - 1);
    slid.count = static_cast<int>(grid.first - slid.first) + grid.count;
    (void)fold_counter(series, slid, part, budget);
    ASSERT_LE(part.size(), columns.size());
    for (std::size_t i = 0; i < part.size(); ++i) {
      const CounterColumn& same = columns[columns.size() - part.size() + i];
      ASSERT_EQ(part[i].x_px + (slid.first - grid.first), same.x_px);
      ASSERT_EQ(part[i].min, same.min);
      ASSERT_EQ(part[i].max, same.max);
      ASSERT_EQ(part[i].last, same.last);
    }
  }
}

TEST(FoldCounter, WhatABudgetLeavesOutIsCoarseAndMissesNoExtreme) {
  Random random;
  CounterSeries series;
  series.append(random_samples(random, 50'000));
  const ColumnGrid grid{.ns_per_px = static_cast<double>(ns_from(series.last_at())) / 500, .count = 500};
  std::vector<CounterColumn> exact, columns;
  FoldBudget all;
  (void)fold_counter(series, grid, exact, all);
  const int blocks = std::numeric_limits<int>::max() - all.blocks;
  ASSERT_GT(blocks, 10);
  for (int allowed = 0; allowed <= blocks; ++allowed) {
    FoldBudget budget{.blocks = allowed};
    const CoarseSpan coarse = fold_counter(series, grid, columns, budget);
    ASSERT_EQ(budget.spent, allowed < blocks);
    ASSERT_EQ(coarse.first_px < coarse.end_px, budget.spent);
    ASSERT_EQ(columns.size(), exact.size());
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const CounterColumn &one = columns[i], &wanted = exact[i];
      ASSERT_EQ(one.x_px, wanted.x_px);
      if (one.x_px < coarse.first_px || one.x_px >= coarse.end_px) {
        ASSERT_EQ(one.min, wanted.min) << allowed;
        ASSERT_EQ(one.max, wanted.max) << allowed;
        ASSERT_EQ(one.last, wanted.last) << allowed;
      }
      ASSERT_LE(one.min, wanted.min) << allowed;
      ASSERT_GE(one.max, wanted.max) << allowed;
    }
  }
}

TEST(FoldCounter, APeakBetweenTwoPixelsIsNotLost) {
  CounterSeries series;
  series.append(std::vector<CounterSample>{{at(0_ns), 1}, {at(500_ns), 100}, {at(501_ns), 1}});
  std::vector<CounterColumn> columns;
  fold_counter(series, range(0_ns, 1000_us), 10, columns);
  ASSERT_EQ(columns.size(), 10u);
  EXPECT_EQ(columns[0].max, 100);
  EXPECT_EQ(columns[0].last, 1);
  EXPECT_EQ(columns[9].max, 1);
}

TEST(FoldCounter, MorePixelsThanNanosecondsHoldTheValue) {
  CounterSeries series;
  series.append(std::vector<CounterSample>{{at(0_ns), 1}, {at(2_ns), 7}});
  std::vector<CounterColumn> columns;
  fold_counter(series, range(0_ns, 4_ns), 100, columns);
  ASSERT_EQ(columns.size(), 100u);
  EXPECT_EQ(columns[10].max, 1);
  EXPECT_EQ(columns[90].min, 7);
}

}  // namespace
}  // namespace runahead::trace
