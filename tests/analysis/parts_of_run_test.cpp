#include "instrumentation/analysis/parts/parts_of_run.h"

#include <gtest/gtest.h>

#include "instrumentation/analysis/barrier_segments.h"
#include "instrumentation/analysis/steady_state.h"
#include "tests/support/trace_builder.h"

namespace runahead::analysis {
namespace {

using namespace testing;  // NOLINT: for literals such as 1_ms
using trace::CounterRole;
using trace::SliceKind;
using trace::TrackKind;

// A run with a preparation of 3 s, a part of 4 s whose ops are in no step, and a part of 5 s with 100
// steps/s. Then the results are read for 1 s. The barrier is set before the run begins.
TraceBuilder two_halves() {
  TraceBuilder builder;
  builder.track("barrier", TrackKind::kMarkers).instant("start: none", 1_ms);
  builder.track("parts", TrackKind::kMarkers)
      .instant("part: preparation", 0_ms)
      .instant("part: op by op", 3000_ms)
      .instant("part: compiled", 7000_ms)
      .instant("part: results", 12000_ms);
  builder.counter("steps", CounterRole::kStepsFinished).sample(0_ms, 0);
  for (int i = 1; i <= 500; ++i) builder.sample(7000_ms + i * 10_ms, i);
  builder.track("main", TrackKind::kFrontend).slice("touch", 0_ms, 3000_ms);
  builder.slice("waitall", 3500_ms, 3000_ms, SliceKind::kWait)
      .slice("item", 12100_ms, 800_ms, SliceKind::kWait);
  return builder.watermark(13000_ms);
}

TEST(PartsOfRun, FollowEachOtherAndTheLastEndsWithTheTrace) {
  const std::vector<PartOfRun> wanted{{"preparation", range(0_ms, 3000_ms)},
                                      {"op by op", range(3000_ms, 7000_ms)},
                                      {"compiled", range(7000_ms, 12000_ms)},
                                      {"results", range(12000_ms, 13000_ms), true}};
  EXPECT_EQ(parts_of_run(two_halves().build()), wanted);
}

TEST(PartsOfRun, OtherInstantsBeginNone) {
  TraceBuilder builder;
  builder.track("barrier", TrackKind::kMarkers).instant("start: none", 0_ms).instant("none -> item", 5_ms);
  builder.track("main").instant("part: of something else", 6_ms).slice("a", 0_ms, 9_ms);
  EXPECT_TRUE(parts_of_run(builder.build()).empty());
  EXPECT_EQ(part_name("part: compiled"), "compiled");
  EXPECT_EQ(part_name("start: none"), std::nullopt);
}

TEST(PartsOfRun, NeighboursOfOneNameAreOnePart) {
  TraceBuilder builder;
  builder.track("parts", TrackKind::kMarkers)
      .instant("part: preparation", 0_ms)
      .instant("part: preparation", 2_ms)
      .instant("part: steps", 5_ms);
  const std::vector<PartOfRun> wanted{{"preparation", range(0_ms, 5_ms)}, {"steps", range(5_ms, 9_ms), true}};
  EXPECT_EQ(parts_of_run(builder.watermark(9_ms).build()), wanted);
}

TEST(PartsOfRun, APartWhoseBeginWasNotKeptHasNoName) {
  TraceBuilder builder;
  builder.track("parts", TrackKind::kMarkers).instant("part: results", 50_ms);
  builder.counter("steps", CounterRole::kStepsFinished)
      .sample(10_ms, 700)
      .sample(20_ms, 701)
      .sample(30_ms, 702);
  const trace::Trace trace = builder.watermark(60_ms).build();
  const std::vector<PartOfRun> parts = parts_of_run(trace);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0], (PartOfRun{"", range(10_ms, 50_ms)}));
  EXPECT_EQ(main_part(trace, parts, trace.extent()), &parts[0]) << "its steps are measured";
}

TEST(PartsOfRun, TheMainPartIsTheLastOneWithSteps) {
  const trace::Trace trace = two_halves().build();
  const std::vector<PartOfRun> parts = parts_of_run(trace);
  EXPECT_EQ(main_part(trace, parts, trace.extent()), &parts[2]);
  EXPECT_EQ(main_part(trace, parts, range(0_ms, 6000_ms)), &parts[1])
      << "without steps: the last that is measured";
  EXPECT_EQ(main_part(trace, parts, range(0_ms, 2000_ms)), nullptr) << "the preparation is not measured";
  EXPECT_EQ(main_part(trace, parts, range(12500_ms, 13000_ms)), nullptr);
}

TEST(PartsOfRun, MeasuredTimeIsThatOfTheMainPartInTheRange) {
  const trace::Trace trace = two_halves().build();
  EXPECT_EQ(measured_time(trace, range(1000_ms, 9000_ms)), range(7000_ms, 9000_ms));
  EXPECT_TRUE(measured_time(trace, range(0_ms, 2000_ms)).empty());
  const trace::Trace without = TraceBuilder{}.track("main").slice("a", 0_ms, 9_ms).build();
  EXPECT_EQ(measured_time(without, range(1_ms, 5_ms)), range(1_ms, 5_ms));
}

TEST(PartsOfRun, ARangeIsFoundAgainAlsoAfterTheLastPartHasGrown) {
  const std::vector<PartOfRun> parts = parts_of_run(two_halves().build());
  EXPECT_EQ(part_with_range(parts, range(3000_ms, 7000_ms)), &parts[1]);
  EXPECT_EQ(part_with_range(parts, range(3000_ms, 6000_ms)), nullptr);
  EXPECT_EQ(part_with_range(parts, range(12000_ms, 12500_ms)), &parts[3]) << "measured when it was shorter";
}

TEST(PartsOfRun, TheFiguresOfABarrierAreOfThePartWithSteps) {
  const std::vector<BarrierSegment> segments = barrier_segments(two_halves().build());
  ASSERT_EQ(segments.size(), 1u);
  EXPECT_NEAR(segments[0].figures.steps_per_s, 100, 0.5);
  EXPECT_GE(segments[0].figures.range.begin, at(7000_ms));
  EXPECT_LE(segments[0].figures.range.end, at(12000_ms));
  EXPECT_EQ(segments[0].figures.blocked_ratio, 0) << "no wait of another part counts";
}

TEST(PartsOfRun, BeforeAndAfterAChangeLieInThePartWithSteps) {
  TraceBuilder builder = two_halves();
  builder.on("barrier").instant("none -> waitall", 9000_ms);
  const std::vector<AroundChange> changes = around_changes(builder.build());
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].before, range(7000_ms, 9000_ms));
  EXPECT_EQ(changes[0].after.end, at(12000_ms));
}

}  // namespace
}  // namespace runahead::analysis
