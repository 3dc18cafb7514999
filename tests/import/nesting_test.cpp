// Tests which lane each slice of an imported track gets.
#include "instrumentation/import/common/nesting.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "tests/support/literals.h"
#include "tests/support/random.h"
#include "tests/support/rounds.h"

namespace runahead::importers {
using namespace trace;
using namespace recordings;
namespace {

using namespace runahead::testing;

Slice slice(std::uint32_t name, std::int64_t begin_ns, std::int64_t end_ns) {
  return {timestamp_from_ns(begin_ns), timestamp_from_ns(end_ns), StringId{name}};
}

NestedSlices nested(std::vector<Slice> slices, std::int64_t end_of_trace_ns = 1000,
                    std::size_t most_lanes = kMostNestedLanes) {
  return nest_slices(TrackId{7}, std::move(slices), timestamp_from_ns(end_of_trace_ns), most_lanes);
}

// "1:0-100 | 2:0-50 3:60-70": the lanes in order, each slice as name:begin-end.
std::string lanes_text(const NestedSlices& from) {
  std::string out;
  for (const LaneRows& lane : from.lanes) {
    if (!out.empty()) out += " | ";
    for (const Slice& row : lane.rows) {
      if (&row != &lane.rows.front()) out += ' ';
      out += std::to_string(raw(row.name)) + ':' + std::to_string(ns_from(row.begin)) + '-' +
             std::to_string(ns_from(row.end));
    }
  }
  return out;
}

TEST(Nesting, NoSlicesGiveNoLanes) { EXPECT_TRUE(nested({}).lanes.empty()); }

TEST(Nesting, ASliceInsideAnotherLiesOneLaneBelowIt) {
  const NestedSlices out = nested({slice(1, 0, 100), slice(2, 10, 50), slice(3, 20, 30), slice(4, 60, 70)});
  EXPECT_EQ(lanes_text(out), "1:0-100 | 2:10-50 4:60-70 | 3:20-30");
  EXPECT_EQ(out.overlapping, 0u);
}

TEST(Nesting, TheOrderInTheFileDoesNotMatter) {
  EXPECT_EQ(lanes_text(nested({slice(3, 20, 30), slice(2, 10, 50), slice(4, 60, 70), slice(1, 0, 100)})),
            "1:0-100 | 2:10-50 4:60-70 | 3:20-30");
}

TEST(Nesting, OfSlicesThatBeginTogetherTheLongerIsTheParent) {
  EXPECT_EQ(lanes_text(nested({slice(1, 0, 10), slice(2, 0, 30), slice(3, 0, 20)})),
            "2:0-30 | 3:0-20 | 1:0-10");
}

TEST(Nesting, OfEqualSlicesTheFirstIsTheParent) {
  EXPECT_EQ(lanes_text(nested({slice(5, 0, 10), slice(2, 0, 10), slice(9, 0, 10)})),
            "5:0-10 | 2:0-10 | 9:0-10");
}

TEST(Nesting, ASliceThatBeginsWhereAnotherEndsLiesBesideIt) {
  EXPECT_EQ(lanes_text(nested({slice(1, 0, 10), slice(2, 10, 20)})), "1:0-10 2:10-20");
}

TEST(Nesting, SlicesOfLengthZeroLieInWhatGoesOnAndBesideWhatEnds) {
  EXPECT_EQ(lanes_text(nested({slice(2, 10, 10), slice(1, 10, 20), slice(3, 15, 15), slice(4, 20, 20)})),
            "1:10-20 4:20-20 | 2:10-10 3:15-15");
  EXPECT_EQ(lanes_text(nested({slice(1, 5, 5), slice(2, 5, 5)})), "1:5-5 2:5-5");
}

TEST(Nesting, ASliceThatOverlapsInPartTakesTheLowestFreeLane) {
  const NestedSlices out = nested({slice(1, 0, 10), slice(2, 5, 15), slice(3, 12, 22), slice(4, 14, 30)});
  EXPECT_EQ(lanes_text(out), "1:0-10 3:12-22 | 2:5-15 | 4:14-30");
  EXPECT_EQ(out.overlapping, 3u);
}

TEST(Nesting, WhatLiesInAnOverlappingSliceLiesBelowIt) {
  const NestedSlices out = nested({slice(1, 0, 10), slice(2, 5, 30), slice(3, 12, 14), slice(4, 20, 25)});
  EXPECT_EQ(lanes_text(out), "1:0-10 | 2:5-30 | 3:12-14 4:20-25");
  EXPECT_EQ(out.overlapping, 1u);
}

TEST(Nesting, ASliceThatWasNeverClosedEndsWithTheTraceAndIsMarked) {
  std::vector<Slice> slices{slice(1, 10, 0), slice(2, 20, 30), slice(3, 500, 0)};
  slices[0].end = slices[2].end = kNeverClosed;
  const NestedSlices out = nested(slices, 400);
  EXPECT_EQ(lanes_text(out), "1:10-400 3:500-500 | 2:20-30");
  EXPECT_EQ(out.unfinished, 2u);
  EXPECT_EQ(out.lanes[0].rows[0].flags, kSliceUnfinished);
  EXPECT_EQ(out.lanes[1].rows[0].flags, 0);
}

TEST(Nesting, AnEndBeforeItsBeginGivesLengthZeroAndIsCounted) {
  const NestedSlices out = nested({slice(1, 50, 40)});
  EXPECT_EQ(lanes_text(out), "1:50-50");
  EXPECT_EQ(out.backwards, 1u);
}

TEST(Nesting, LanesAreOfTheTrackAndTheirDepth) {
  const NestedSlices out = nested({slice(1, 0, 9), slice(2, 0, 8)});
  ASSERT_EQ(out.lanes.size(), 2u);
  EXPECT_EQ(out.lanes[1].track, TrackId{7});
  EXPECT_EQ(out.lanes[1].depth, 1u);
}

TEST(Nesting, EverythingElseOfASliceComesThrough) {
  Slice full = slice(3, 1, 2);
  full.kind = SliceKind::kCopyToHost;
  full.op = OpId{5};
  full.size_bytes = 77;
  full.args = ArgsId{4};
  EXPECT_EQ(nested({full}).lanes.at(0).rows.at(0), full);
}

// Returns `n` slices that are all open at the same time. If `nest` is true, each slice is inside the previous
// one. Otherwise each slice partly overlaps all others.
std::vector<Slice> all_at_once(std::size_t n, bool nest) {
  std::vector<Slice> slices;
  for (std::size_t i = 0; i < n; ++i) {
    const auto at = static_cast<std::int64_t>(i), last = static_cast<std::int64_t>(2 * n);
    slices.push_back(slice(1, at, nest ? last - at : last + at));
  }
  return slices;
}

TEST(Nesting, ManySlicesAtOneMomentAllGetALane) {
  constexpr std::size_t kMany = rounds(100'000);
  for (const bool nest : {true, false}) {
    const NestedSlices out = nested(all_at_once(kMany, nest));
    EXPECT_EQ(out.lanes.size(), kMany);
    EXPECT_EQ(out.too_deep, 0u);
  }
}

TEST(Nesting, SlicesBeyondTheMostLanesAreCounted) {
  constexpr std::size_t kMost = rounds(20'000);
  const NestedSlices out = nested(all_at_once(kMost + 3, true), 1000, kMost);
  EXPECT_EQ(out.lanes.size(), kMost);
  EXPECT_EQ(out.too_deep, 3u);
}

// Computes the lanes by a simple implementation of the rule in nesting.h.
std::string plainly(std::vector<Slice> slices) {
  std::stable_sort(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
  NestedSlices out;
  const auto last_end = [&](std::size_t lane) { return out.lanes[lane].rows.back().end; };
  for (const Slice& row : slices) {
    std::size_t lane = 0;
    for (std::size_t i = 0; i < out.lanes.size(); ++i) {
      if (last_end(i) > row.begin && last_end(i) >= row.end) lane = i + 1;
    }
    while (lane < out.lanes.size() && last_end(lane) > row.begin) ++lane;
    if (lane == out.lanes.size()) out.lanes.push_back({TrackId{7}, static_cast<std::uint32_t>(lane), {}});
    out.lanes[lane].rows.push_back(row);
  }
  return lanes_text(out);
}

TEST(Nesting, RandomSlicesLieAsTheRuleSays) {
  Random random;
  for (int round = 0; round < 300; ++round) {
    std::vector<Slice> slices;
    const std::int64_t longest = random.magnitude(200);
    for (std::int64_t n = random.integer(0, 80); n > 0; --n) {
      const std::int64_t begin = random.integer(0, 200);
      slices.push_back(slice(static_cast<std::uint32_t>(n), begin, begin + random.integer(0, longest)));
    }
    ASSERT_EQ(lanes_text(nested(slices)), plainly(slices)) << "round " << round;
  }
}

TEST(Nesting, LanesAreSortedAndDisjointAndHoldEverySlice) {
  Random random;
  std::vector<Slice> slices;
  for (std::uint32_t i = 0; i < 5000; ++i) {
    const std::int64_t begin = random.integer(0, 100'000);
    slices.push_back(slice(i, begin, begin + random.magnitude(5000)));
  }
  std::size_t count = 0;
  for (const LaneRows& lane : nested(slices).lanes) {
    count += lane.rows.size();
    for (std::size_t i = 1; i < lane.rows.size(); ++i) {
      ASSERT_GE(lane.rows[i].begin, lane.rows[i - 1].end);
    }
  }
  EXPECT_EQ(count, slices.size());
}

}  // namespace
}  // namespace runahead::importers
