#include "instrumentation/analysis/timeline/found_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "tests/support/random.h"
#include "tests/support/trace_builder.h"

namespace runahead::analysis {
namespace {

using namespace runahead::testing;

std::uint64_t counted(const std::set<std::uint64_t>& rows, std::uint64_t first, std::uint64_t last) {
  return static_cast<std::uint64_t>(std::distance(rows.lower_bound(first), rows.lower_bound(last)));
}

TEST(RowSet, CountsTheRowsOfAnyIntervalLikeAListOfRows) {
  Random random;
  for (const double chance : {0.001, 0.1, 0.5, 0.99, 1.0}) {
    const auto first = static_cast<std::uint64_t>(random.integer(0, 1'000'000));
    RowSet set;
    std::set<std::uint64_t> rows;
    for (std::uint64_t row = first; row < first + 5000; ++row) {
      if (!random.chance(chance)) continue;
      set.add(row);
      rows.insert(row);
    }
    EXPECT_EQ(set.size(), rows.size());
    const auto any_row = [&] {
      return static_cast<std::uint64_t>(
          std::max<std::int64_t>(0, static_cast<std::int64_t>(first) + random.integer(-200, 5200)));
    };
    for (int i = 0; i < 2000; ++i) {
      const auto [low, high] = std::minmax({any_row(), any_row()});
      ASSERT_EQ(set.count(low, high), counted(rows, low, high)) << low << ".." << high << " from " << first;
    }
  }
}

TEST(RowSet, OfNothingCountsNothing) { EXPECT_EQ(RowSet{}.count(0, 100), 0u); }

TEST(RowSet, TakesAFewBitsForEachRow) {
  RowSet set;
  for (std::uint64_t row = 0; row < 384'000; ++row) set.add(row);
  EXPECT_LE(set.size_bytes() * 8, 384'000u * 3 / 2);
}

TEST(FoundRows, DoNotKnowRowsThatCameAfterTheSearch) {
  TraceBuilder builder;
  builder.track("a").slice("x", 0_us, 1_us).slice("x", 2_us, 1_us);
  FoundRows rows(builder.build());
  rows.add(TrackId{0}, 0, 1);
  EXPECT_EQ(rows.count(TrackId{0}, 0, 0, 2), 1u);
  EXPECT_EQ(rows.count(TrackId{0}, 0, 0, 1), 0u);
  EXPECT_EQ(rows.count(TrackId{0}, 0, 1, 3), std::nullopt);
  EXPECT_EQ(rows.count(TrackId{0}, 1, 0, 1), std::nullopt);
  EXPECT_EQ(rows.count(TrackId{1}, 0, 0, 1), std::nullopt);
}

}  // namespace
}  // namespace runahead::analysis
