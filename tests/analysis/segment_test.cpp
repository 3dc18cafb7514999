#include "instrumentation/analysis/segment.h"

#include <gtest/gtest.h>

#include "tests/support/trace_builder.h"

namespace runahead::analysis {
namespace {

using namespace testing;  // NOLINT: for literals such as 1_ms
using trace::CounterRole;
using trace::SliceKind;
using trace::Trace;
using trace::TrackKind;

TEST(SegmentFigures, OfAnEmptyTraceOrRangeAreZero) {
  const Trace trace;
  const SegmentFigures figures = segment_figures(trace, range(0_ns, 1_s));
  EXPECT_EQ(figures.steps, 0);
  EXPECT_EQ(figures.blocked_ratio, 0);
  EXPECT_EQ(segment_figures(trace, range(5_ns, 5_ns)).steps_per_s, 0);
}

TEST(SegmentFigures, StepsAreTheGrowthOfTheirCounterWithinTheRange) {
  const Trace trace = TraceBuilder{}
                          .counter("steps finished", CounterRole::kStepsFinished)
                          .sample(10_ms, 1)
                          .sample(20_ms, 2)
                          .sample(30_ms, 3)
                          .sample(40_ms, 4)
                          .build();
  EXPECT_EQ(segment_figures(trace, range(0_ns, 1_s)).steps, 4);
  // A step exactly at the start of a range belongs to this range. A step exactly at the end of a range
  // belongs to the next range.
  const SegmentFigures figures = segment_figures(trace, range(20_ms, 40_ms));
  EXPECT_EQ(figures.steps, 2);
  EXPECT_DOUBLE_EQ(figures.steps_per_s, 100);
  EXPECT_EQ(segment_figures(trace, range(50_ms, 60_ms)).steps, 0);
}

TEST(SegmentFigures, BlockedIsTheUnionOfWaitsOverTheFrontendsTime) {
  const Trace trace =
      TraceBuilder{}
          .track("main", TrackKind::kFrontend)
          .slice("step", 0_us, 100_us, SliceKind::kStep)
          .slice("item", 20_us, 40_us, SliceKind::kWait)
          .slice("copy", 30_us, 20_us, SliceKind::kWait)  // inside "item"; must not count twice
          .slice("enqueue", 70_us, 5_us, SliceKind::kEnqueue)
          .track("w0", TrackKind::kWorker)
          .slice("idle", 0_us, 100_us, SliceKind::kWait)  // a worker's waits do not count
          .build();
  const SegmentFigures all = segment_figures(trace, range(0_us, 100_us));
  EXPECT_EQ(all.blocked, 40_us);
  EXPECT_DOUBLE_EQ(all.blocked_ratio, 0.4);
  // Only the part of a wait that is inside the range counts.
  EXPECT_EQ(segment_figures(trace, range(50_us, 100_us)).blocked, 10_us);
}

TEST(SegmentFigures, TheTimeThatTheSafetyLimitHeldTheFrontendIsAPartOfBlocked) {
  const Trace trace = TraceBuilder{}
                          .track("main", TrackKind::kFrontend)
                          .slice("step", 0_us, 100_us, SliceKind::kStep)
                          .slice("item", 10_us, 20_us, SliceKind::kWait)
                          .slice("held by the limit", 40_us, 30_us, SliceKind::kWait)
                          .flags(trace::kSliceHeldByLimit)
                          .open_slice("held by the limit", 110_us, SliceKind::kWait)
                          .flags(trace::kSliceHeldByLimit)
                          .watermark(200_us)
                          .build();
  const SegmentFigures all = segment_figures(trace, range(0_us, 100_us));
  EXPECT_EQ(all.blocked, 50_us);
  EXPECT_EQ(all.held_by_limit, 30_us);
  EXPECT_DOUBLE_EQ(all.held_by_limit_ratio, 0.3);
  EXPECT_EQ(segment_figures(trace, range(60_us, 120_us)).held_by_limit, 20_us);
}

TEST(SegmentFigures, WithoutTheWorkAreTheSameButForIt) {
  const Trace trace = TraceBuilder{}
                          .track("main", TrackKind::kFrontend)
                          .slice("item", 20_us, 40_us, SliceKind::kWait)
                          .track("w0", TrackKind::kWorker)
                          .slice("matmul", 10_us, 50_us, SliceKind::kExecute)
                          .counter("live", CounterRole::kLiveBytes)
                          .sample(5_us, 7)
                          .build();
  const SegmentFigures all = segment_figures(trace, range(0_us, 100_us));
  const SegmentFigures figures = segment_figures(trace, range(0_us, 100_us), SegmentWork::kLeftOut);
  EXPECT_EQ(all.busy_execute, 50_us);
  EXPECT_EQ(figures.busy_execute, 0_us);
  EXPECT_EQ(figures.blocked, 40_us);
  EXPECT_DOUBLE_EQ(figures.blocked_ratio, all.blocked_ratio);
  EXPECT_EQ(figures.peak_bytes, 7);
}

TEST(SegmentFigures, FrontendsThatDoNothingInTheRangeDoNotDiluteIt) {
  const Trace trace = TraceBuilder{}
                          .track("main", TrackKind::kFrontend)
                          .slice("wait", 0_us, 50_us, SliceKind::kWait)
                          .track("second", TrackKind::kFrontend)
                          .slice("step", 100_us, 50_us, SliceKind::kStep)
                          .build();
  EXPECT_DOUBLE_EQ(segment_figures(trace, range(0_us, 100_us)).blocked_ratio, 0.5);
  const SegmentFigures both = segment_figures(trace, range(0_us, 200_us));
  EXPECT_EQ(both.frontends, 2u);
  EXPECT_DOUBLE_EQ(both.blocked_ratio, 50.0 / 400.0);
}

TEST(SegmentFigures, AWaitStillOpenCountsUpToTheWatermark) {
  const Trace trace = TraceBuilder{}
                          .track("main", TrackKind::kFrontend)
                          .open_slice("waitall", 40_us, SliceKind::kWait)
                          .watermark(100_us)
                          .build();
  EXPECT_EQ(segment_figures(trace, range(0_us, 100_us)).blocked, 60_us);
  EXPECT_EQ(segment_figures(trace, range(0_us, 200_us)).blocked, 60_us);
}

TEST(SegmentFigures, APauseWithNothingInFlightIsNoPartOfRatesAndShares) {
  const Trace trace = TraceBuilder{}
                          .track("main", TrackKind::kFrontend)
                          .slice("item", 0_ms, 10_ms, SliceKind::kWait)
                          .slice("paused", 20_ms, 60_ms, SliceKind::kPause)
                          .slice("item", 90_ms, 10_ms, SliceKind::kWait)
                          .counter("steps finished", CounterRole::kStepsFinished)
                          .sample(10_ms, 1)
                          .sample(30_ms, 2)
                          .sample(95_ms, 3)
                          .counter("run-ahead", CounterRole::kRunAheadOps)
                          .sample(5_ms, 2)
                          .sample(25_ms, 1)
                          .sample(30_ms, 0)  // the queued ops still run during the first 10 ms of the pause
                          .build();
  const SegmentFigures figures = segment_figures(trace, range(0_ms, 100_ms));
  EXPECT_EQ(figures.paused, 50_ms);
  EXPECT_EQ(active_time(figures), 50_ms);
  EXPECT_DOUBLE_EQ(figures.steps_per_s, 3 / 0.050);
  EXPECT_DOUBLE_EQ(figures.blocked_ratio, 20.0 / 50.0);
  // The figures are the same if the range is processed in two parts, wherever the range is cut.
  for (const Timestamp cut : {at(15_ms), at(27_ms), at(30_ms), at(50_ms), at(80_ms)}) {
    SegmentAccumulator accumulator(at(0_ms));
    accumulator.extend(trace, cut);
    accumulator.extend(trace, at(100_ms));
    EXPECT_EQ(accumulator.figures().paused, 50_ms);
    EXPECT_DOUBLE_EQ(accumulator.figures().steps_per_s, figures.steps_per_s);
  }
  const SegmentFigures still = segment_figures(trace, range(40_ms, 70_ms));
  EXPECT_EQ(still.paused, 30_ms);
  EXPECT_EQ(still.steps_per_s, 0);
}

TEST(SegmentFigures, WhereEventsWereLostAPauseBeginsWhenNothingChangesAnyMore) {
  const auto paused = [](std::uint64_t lost) {
    return segment_figures(TraceBuilder{}
                               .track("main", TrackKind::kFrontend)
                               .slice("paused", 20_ms, 60_ms, SliceKind::kPause)
                               .counter("run-ahead", CounterRole::kRunAheadOps)
                               .sample(5_ms, 2)
                               .sample(30_ms, 1)  // the end of the other op was not recorded
                               .loss(trace::LossCause::kBufferFull, lost)
                               .build(),
                           range(0_ms, 100_ms))
        .paused;
  };
  EXPECT_EQ(paused(0), 0_ms);
  EXPECT_EQ(paused(1), 50_ms);
}

TEST(SegmentFigures, OverlapIsExecutionAndCopyAtOnceAndOpLivesAreNeither) {
  const Trace trace = TraceBuilder{}
                          .track("compute", TrackKind::kStream)
                          .slice("matmul", 0_us, 60_us, SliceKind::kExecute)
                          .track("copy to host", TrackKind::kStream)
                          .slice("copy", 40_us, 40_us, SliceKind::kCopyToHost)
                          .bytes(1000)
                          .slice("copy", 90_us, 20_us, SliceKind::kCopyToHost)
                          .bytes(500)
                          .track("copy to host, as the card tells it", TrackKind::kStream)
                          .slice("copy", 41_us, 38_us, SliceKind::kCopyToHost)
                          .bytes(1000)
                          .flags(trace::kSlicePartOfOp)
                          .track("op lives", TrackKind::kQueue)
                          .slice("matmul", 0_us, 200_us, SliceKind::kExecute)
                          .build();
  const SegmentFigures figures = segment_figures(trace, range(0_us, 100_us));
  EXPECT_EQ(figures.busy_execute, 60_us);
  EXPECT_EQ(figures.busy_copy, 50_us);
  EXPECT_EQ(figures.overlap, 20_us);
  EXPECT_EQ(figures.copied_bytes, 1000);  // the second copy ends after the range, so its bytes do not count
  EXPECT_EQ(segment_figures(trace, range(100_us, 200_us)).copied_bytes, 500);
}

TEST(SegmentFigures, PeaksAreExactAndSummedOverDevices) {
  const Trace trace = TraceBuilder{}
                          .counter("live virtual:0", CounterRole::kLiveBytes)
                          .sample(0_us, 100)
                          .sample(10_us, 900)
                          .sample(11_us, 100)
                          .counter("live virtual:1", CounterRole::kLiveBytes)
                          .sample(5_us, 50)
                          .counter("run-ahead virtual:0", CounterRole::kRunAheadOps)
                          .sample(3_us, 7)
                          .sample(4_us, 2)
                          .counter("run-ahead bytes virtual:0", CounterRole::kRunAheadBytes)
                          .sample(3_us, 70)
                          .counter("run-ahead steps", CounterRole::kRunAheadSteps)
                          .sample(3_us, 3)
                          .watermark(100_us)
                          .build();
  const SegmentFigures figures = segment_figures(trace, range(0_us, 100_us));
  EXPECT_EQ(figures.peak_bytes, 950);
  EXPECT_EQ(figures.max_run_ahead_ops, 7);
  EXPECT_EQ(figures.max_run_ahead_bytes, 70);
  EXPECT_EQ(figures.max_run_ahead_steps, 3);
  // The last value of each counter before the range still applies in the range. The values of the two
  // counters are 100 and 50.
  EXPECT_EQ(segment_figures(trace, range(50_us, 60_us)).peak_bytes, 150);
}

TEST(SegmentFigures, OpsCountWhereTheyEnd) {
  const Trace trace = TraceBuilder{}
                          .op(OpId{1}, "a", {.enqueued = 0_us, .ended = 10_us})
                          .op(OpId{2}, "b", {.enqueued = 0_us, .ended = 20_us})
                          .op(OpId{3}, "c", {.enqueued = 0_us})
                          .build();
  EXPECT_EQ(segment_figures(trace, range(0_us, 20_us)).ops, 1u);
  EXPECT_EQ(segment_figures(trace, range(0_us, 21_us)).ops, 2u);
}

TEST(BarrierChanges, AreTheInstantsOfMarkerTracksInOrder) {
  const Trace trace = TraceBuilder{}
                          .track("barrier", TrackKind::kMarkers)
                          .instant("none -> waitall", 50_ms)
                          .instant("start: none", 1_ms)
                          .track("main", TrackKind::kFrontend)
                          .instant("something else", 20_ms)
                          .build();
  const auto changes = barrier_changes(trace);
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(changes[0].label, "start: none");
  EXPECT_EQ(changes[1].label, "none -> waitall");
  EXPECT_EQ(changes[1].at, at(50_ms));
}

TEST(BarrierChanges, AChangeOfAllProcessesIsOneChange) {
  const Trace trace = TraceBuilder{}
                          .track("barrier of rank 0", TrackKind::kMarkers)
                          .instant("none -> waitall", 50_ms)
                          .instant("waitall -> none", 80_ms)
                          .instant("none -> waitall", 95_ms)
                          .track("barrier of rank 1", TrackKind::kMarkers)
                          .instant("none -> waitall", 51_ms)
                          .instant("waitall -> none", 82_ms)
                          .build();
  const auto changes = barrier_changes(trace);
  ASSERT_EQ(changes.size(), 3u);
  EXPECT_EQ(changes[0].at, at(50_ms));
  EXPECT_EQ(changes[1].at, at(80_ms));
  EXPECT_EQ(changes[2].at, at(95_ms));
}

// PyTorch's profiler writes such global instants. They are not barrier changes.
TEST(BarrierChanges, AreNotTheGlobalInstantsOfOtherTools) {
  const Trace trace = TraceBuilder{}
                          .track("global", TrackKind::kMarkers)
                          .instant("Iteration Start: PyTorch Profiler", 1_ms)
                          .instant("Record Window End", 50_ms)
                          .build();
  EXPECT_TRUE(barrier_changes(trace).empty());
  EXPECT_FALSE(last_change(trace).has_value());
}

TEST(AroundLastChange, IsNothingBeforeTheFirstChange) {
  EXPECT_FALSE(around_last_change(Trace{}).has_value());
  const Trace started =
      TraceBuilder{}.track("barrier", TrackKind::kMarkers).instant("start: none", 1_ms).build();
  EXPECT_FALSE(around_last_change(started).has_value());
}

TEST(AroundLastChange, ComparesFromTheChangeBeforeToTheWatermark) {
  TraceBuilder builder;
  builder.track("barrier", TrackKind::kMarkers)
      .instant("start: none", 0_ms)
      .instant("none -> waitall", 100_ms)
      .instant("waitall -> none", 300_ms)
      .counter("steps finished", CounterRole::kStepsFinished);
  for (int i = 1; i <= 50; ++i) builder.sample(10_ms * i, i);
  const auto around = around_last_change(builder.build());
  ASSERT_TRUE(around.has_value());
  EXPECT_EQ(around->change.label, "waitall -> none");
  EXPECT_EQ(around->before.range, range(100_ms, 300_ms));
  EXPECT_EQ(around->before.steps, 20);
  EXPECT_EQ(around->after.range, range(300_ms, 500_ms));
  EXPECT_EQ(around->after.steps, 20);  // the step exactly at the watermark does not count
}

}  // namespace
}  // namespace runahead::analysis
