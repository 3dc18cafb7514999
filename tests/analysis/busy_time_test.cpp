#include "instrumentation/analysis/busy_time.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/support/literals.h"
#include "tests/support/random.h"

namespace runahead::analysis {
namespace {

using namespace testing;  // NOLINT: for literals such as 1_ms
using trace::kinds_of;
using trace::Lane;
using trace::Slice;
using trace::SliceKind;

// The times are small, so that a test can compute a union nanosecond by nanosecond.
constexpr std::int64_t kEndNs = 3000;

Lane random_lane(Random& random, std::vector<bool>& painted) {
  Lane lane;
  std::int64_t t = random.integer(0, 50);
  while (t < kEndNs) {
    const std::int64_t end = std::min(kEndNs, t + random.magnitude(40));
    const SliceKind kind = random.chance(0.5) ? SliceKind::kExecute : SliceKind::kWait;
    const Slice slice{.begin = timestamp_from_ns(t), .end = timestamp_from_ns(end), .kind = kind};
    lane.append({&slice, 1});
    if (kind == SliceKind::kExecute) {
      std::fill(painted.begin() + t, painted.begin() + end, true);
    }
    t = end + random.magnitude(60);
  }
  return lane;
}

TEST(BusyRanges, AreTheUnionOfTheLanesWithinTheRange) {
  Random random;
  for (int round = 0; round < 100; ++round) {
    std::vector<bool> painted(kEndNs, false);
    std::vector<Lane> lanes;
    for (std::int64_t i = random.integer(1, 5); i > 0; --i) lanes.push_back(random_lane(random, painted));
    std::vector<const Lane*> pointers;
    for (const Lane& lane : lanes) pointers.push_back(&lane);
    const std::int64_t begin = random.integer(0, kEndNs - 1);
    const std::int64_t end = random.integer(begin + 1, kEndNs);
    const Ranges ranges = busy_ranges(pointers, kinds_of(SliceKind::kExecute),
                                      {timestamp_from_ns(begin), timestamp_from_ns(end)});
    std::vector<bool> found(kEndNs, false);
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      ASSERT_FALSE(ranges[i].empty());
      if (i > 0) {
        ASSERT_LT(ranges[i - 1].end, ranges[i].begin);
      }
      std::fill(found.begin() + ns_from(ranges[i].begin), found.begin() + ns_from(ranges[i].end), true);
    }
    std::fill(painted.begin(), painted.begin() + begin, false);
    std::fill(painted.begin() + end, painted.end(), false);
    ASSERT_EQ(found, painted);
    ASSERT_EQ(ns_from(total(ranges)), std::count(painted.begin(), painted.end(), true));
  }
}

TEST(BusyRanges, OverlapIsWhatBothHave) {
  const Ranges a{range(0_ns, 10_ns), range(20_ns, 30_ns)};
  const Ranges b{range(5_ns, 25_ns), range(29_ns, 40_ns)};
  EXPECT_EQ(total_overlap(a, b), 11_ns);
  EXPECT_EQ(total_overlap(a, {}), 0_ns);
}

TEST(BusyRanges, AnAddedRangeJoinsTheOnesItTouches) {
  Ranges ranges{range(0_ns, 10_ns), range(20_ns, 30_ns), range(50_ns, 60_ns)};
  add_range(ranges, range(10_ns, 25_ns));
  EXPECT_EQ(ranges, (Ranges{range(0_ns, 30_ns), range(50_ns, 60_ns)}));
  add_range(ranges, range(70_ns, 80_ns));
  add_range(ranges, range(35_ns, 36_ns));
  add_range(ranges, range(5_ns, 5_ns));
  EXPECT_EQ(ranges,
            (Ranges{range(0_ns, 30_ns), range(35_ns, 36_ns), range(50_ns, 60_ns), range(70_ns, 80_ns)}));
}

}  // namespace
}  // namespace runahead::analysis
