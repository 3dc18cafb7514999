#include "instrumentation/analysis/barrier_segments.h"

#include <gtest/gtest.h>

#include "tests/support/trace_builder.h"

namespace runahead::analysis {
namespace {

using namespace testing;  // NOLINT: for literals such as 1_ms
using trace::SliceKind;

// A run whose barrier changes: 100 steps/s without a barrier for 4 s, then the backlog drains for 1 s, then
// 50 steps/s with a wait in each step.
trace::Trace toggled() {
  TraceBuilder builder;
  builder.track("barrier", trace::TrackKind::kMarkers)
      .instant("start: none", 0_ms)
      .instant("none -> item", 4000_ms);
  builder.counter("steps", trace::CounterRole::kStepsFinished).sample(0_ms, 0);
  int done = 0;
  for (Duration t = 10_ms; t <= 5000_ms; t += 10_ms) builder.sample(t, ++done);
  for (Duration t = 5020_ms; t <= 9000_ms; t += 20_ms) builder.sample(t, ++done);
  builder.counter("live", trace::CounterRole::kLiveBytes, trace::Unit::kBytes)
      .sample(0_ms, 1000)
      .sample(5000_ms, 10);
  builder.track("main", trace::TrackKind::kFrontend).slice("run", 0_ms, 1_ms, SliceKind::kEnqueue);
  builder.slice("item", 4001_ms, 999_ms, SliceKind::kWait);
  for (Duration t = 5002_ms; t < 9000_ms; t += 20_ms) builder.slice("item", t, 10_ms, SliceKind::kWait);
  builder.track("compute")
      .device("virtual:0")
      .slice("mm", 7000_ms, 3_ms, SliceKind::kExecute)
      .flags(trace::kSliceLate);
  builder.watermark(20000_ms);
  return builder.build();
}

TEST(BarrierSegments, AreFromMarkToMarkWithTheFiguresOfTheirSteadyPart) {
  const std::vector<BarrierSegment> segments = barrier_segments(toggled());
  ASSERT_EQ(segments.size(), 2u);
  EXPECT_EQ(segments[0].barrier, "none");
  EXPECT_EQ(segments[0].range, range(0_ms, 4000_ms));
  EXPECT_TRUE(segments[0].rate.settled);
  EXPECT_NEAR(segments[0].rate.steps_per_s, 100, 1e-6);
  EXPECT_EQ(segments[0].figures.steps_per_s, segments[0].rate.steps_per_s);
  EXPECT_EQ(segments[0].figures.peak_bytes, 1000);
  EXPECT_EQ(segments[0].lateness.late_slices, 0u);

  EXPECT_EQ(segments[1].barrier, "item");
  EXPECT_EQ(segments[1].drained, at(5000_ms)) << "the backlog of the previous barrier drains until then";
  EXPECT_TRUE(segments[1].rate.settled);
  EXPECT_NEAR(segments[1].rate.steps_per_s, 50, 1e-6);
  EXPECT_EQ(segments[1].figures.peak_bytes, 10) << "memory of the backlog belongs to the previous barrier";
  EXPECT_NEAR(segments[1].figures.blocked_ratio, 0.5, 0.01);
  EXPECT_EQ(segments[1].lateness.late_slices, 1u);
  EXPECT_FALSE(segments[1].settled()) << "its only slice on a device is late";
  EXPECT_TRUE(segments[0].settled());
}

TEST(LeftOut, IsTheDrainAndTheTimeUntilTheRateIsSteady) {
  const BarrierChange change{at(4000_ms), "none -> item"};
  SteadyPart part{.drained = at(5000_ms)};
  const LeftOut drain{range(4000_ms, 5000_ms), Phase::kDraining};
  EXPECT_EQ(left_out(change, part), std::vector{drain}) << "no steady rate yet";
  part.rate = {.settled = true, .range = range(5500_ms, 7000_ms)};
  const LeftOut settling{range(5000_ms, 5500_ms), Phase::kSettling};
  EXPECT_EQ(left_out(change, part), (std::vector{drain, settling}));
  part.drained = part.rate.range.begin = change.at;
  EXPECT_TRUE(left_out(change, part).empty());
}

TEST(LeftOut, AtTheStartIsTheWarmUp) {
  const BarrierChange start{at(0_ms), "start: none"};
  const SteadyPart part{.drained = at(10_ms), .rate = {.settled = true, .range = range(1000_ms, 4000_ms)}};
  EXPECT_EQ(left_out(start, part), (std::vector{LeftOut{range(0_ms, 1000_ms), Phase::kWarmingUp}}));
}

TEST(Lateness, IsThatOfTheSimulatedSlicesThatEndedInTheRange) {
  TraceBuilder builder;
  builder.track("compute", trace::TrackKind::kStream).device("virtual:0");
  for (int i = 0; i < 10; ++i) {
    builder.slice("dot", i * 10_ms, 5_ms, SliceKind::kExecute);
    if (i % 5 == 0) builder.flags(trace::kSliceLate);
  }
  builder.track("cpu 0", trace::TrackKind::kWorker).slice("dot", 0_ms, 90_ms, SliceKind::kExecute);
  const trace::Trace trace = builder.build();
  // each late slice is late by at least 1 ms
  EXPECT_DOUBLE_EQ(lateness(trace, range(0_ms, 100_ms)).of_time, 0.02);
  EXPECT_DOUBLE_EQ(lateness(trace, range(10_ms, 50_ms)).of_time, 0);
  EXPECT_DOUBLE_EQ(lateness(trace, range(50_ms, 60_ms)).of_time, 0.1);
  EXPECT_DOUBLE_EQ(lateness(trace, range(200_ms, 300_ms)).of_time, 0);
  EXPECT_DOUBLE_EQ(lateness(trace::Trace{}, range(0_ms, 1_ms)).of_time, 0);
  EXPECT_DOUBLE_EQ(lateness(trace, range(0_ms, 100_ms)).of_slices, 0.2);
  EXPECT_DOUBLE_EQ(lateness(trace, range(10_ms, 50_ms)).of_slices, 0);
}

TEST(Lateness, OfManySlicesTheLastOnesAreReadAndTheirTimeCounts) {
  constexpr std::uint64_t kMany = kMostLateRows + 5000;
  const auto share = [](std::uint64_t late_from) {
    TraceBuilder builder;
    builder.track("compute", trace::TrackKind::kStream).device("virtual:0");
    for (std::uint64_t i = 0; i < kMany; ++i) {
      builder.slice("dot", static_cast<std::int64_t>(i) * 4_ms, 4_ms, SliceKind::kExecute);
      if (late_from <= i && i < late_from + 5000) builder.flags(trace::kSliceLate);
    }
    // the last slice ends in the range, not at its end
    return lateness(builder.build(), range(0_ms, static_cast<std::int64_t>(kMany) * 4_ms + 1_ms)).of_time;
  };
  EXPECT_DOUBLE_EQ(share(0), 0) << "these slices are before the last kMostLateRows";
  EXPECT_DOUBLE_EQ(share(kMany - 5000), 5000. / (4. * kMostLateRows + 1));
}

TEST(BarrierSegments, OneWithManyLateSlicesIsNotSettled) {
  BarrierSegment segment;
  EXPECT_FALSE(segment.settled()) << "its rate is not steady";
  segment.rate.settled = true;
  segment.lateness = {.of_time = Lateness::kMostLateTime, .of_slices = Lateness::kMostLateSlices};
  EXPECT_TRUE(segment.settled());
  segment.lateness.of_time *= 1.1;
  EXPECT_FALSE(segment.settled());
  segment.lateness = {.of_slices = 1.1 * Lateness::kMostLateSlices};
  EXPECT_FALSE(segment.settled()) << "few slices, most of them late";
}

TEST(BarrierSegments, TheLastOneEndsWithTheLastStep) {
  EXPECT_EQ(barrier_segments(toggled()).back().range, range(4000_ms, 9000_ms));
}

// Too short to be settled: the first step counts, as in a prediction.
TEST(BarrierSegments, AShortRunIsShownFromItsFirstStep) {
  TraceBuilder builder;
  builder.track("barrier", trace::TrackKind::kMarkers).instant("start: item", 0_ms);
  builder.counter("steps", trace::CounterRole::kStepsFinished).sample(0_ms, 0);
  for (int i = 1; i <= 20; ++i) builder.sample(i * 10_ms, i);
  builder.track("main", trace::TrackKind::kFrontend);
  for (int i = 0; i < 20; ++i) builder.slice("item", i * 10_ms, 10_ms, SliceKind::kWait);
  const trace::Trace trace = builder.watermark(200_ms).build();
  const std::vector<BarrierSegment> segments = barrier_segments(trace);
  ASSERT_EQ(segments.size(), 1u);
  EXPECT_EQ(segments[0].figures.range.begin, at(0_ms));
  EXPECT_EQ(segments[0].figures.steps, 20);
  EXPECT_NEAR(segments[0].figures.steps_per_s, 100, 1e-3);
  const BarrierChange start = barrier_changes(trace).front();
  const SteadyPart part = steady_part(trace, start, at(200_ms));
  EXPECT_EQ(part.phase, Phase::kWarmingUp);
  EXPECT_TRUE(left_out(start, part).empty());
}

TEST(BarrierSegments, OneThatNeverDrainedIsNotSettled) {
  TraceBuilder builder;
  builder.track("barrier", trace::TrackKind::kMarkers)
      .instant("start: none", 0_ms)
      .instant("none -> item", 4000_ms);
  builder.counter("steps", trace::CounterRole::kStepsFinished).sample(0_ms, 0);
  for (int i = 1; i <= 800; ++i) builder.sample(i * 10_ms, i);
  builder.track("main", trace::TrackKind::kFrontend)
      .open_slice("item", 4001_ms, SliceKind::kWait)
      .watermark(8000_ms);
  const std::vector<BarrierSegment> segments = barrier_segments(builder.build());
  ASSERT_EQ(segments.size(), 2u);
  EXPECT_FALSE(segments[1].rate.settled);
  EXPECT_EQ(segments[1].drained, segments[1].range.end);
}

// The frontend never waits for ops:100; its next wait is one of item.
TEST(BarrierSegments, TheFirstWaitOfTheNextOneDoesNotCount) {
  TraceBuilder builder;
  builder.track("barrier", trace::TrackKind::kMarkers)
      .instant("start: none", 0_ms)
      .instant("none -> ops:100", 2000_ms)
      .instant("ops:100 -> item", 5000_ms);
  builder.counter("steps", trace::CounterRole::kStepsFinished).sample(0_ms, 0);
  int done = 0;
  for (Duration t = 10_ms; t <= 8000_ms; t += 10_ms) builder.sample(t, ++done);
  builder.track("main", trace::TrackKind::kFrontend);
  for (Duration t = 5002_ms; t < 8000_ms; t += 10_ms) builder.slice("item", t, 5_ms, SliceKind::kWait);
  const std::vector<BarrierSegment> segments = barrier_segments(builder.watermark(8000_ms).build());
  ASSERT_EQ(segments.size(), 3u);
  EXPECT_EQ(segments[1].drained, at(2000_ms));
  EXPECT_TRUE(segments[1].rate.settled);
  EXPECT_NEAR(segments[1].rate.steps_per_s, 100, 1e-6);
}

TEST(BarrierSegments, BothSidesAreSettledIfEachIs) {
  const Steadiness settled{Phase::kSettled, 0.01};
  EXPECT_TRUE(both_settled(settled, settled));
  for (const Phase phase : {Phase::kWarmingUp, Phase::kDraining, Phase::kSettling}) {
    EXPECT_FALSE(both_settled({phase, 0}, settled));
    EXPECT_FALSE(both_settled(settled, {phase, 0}));
  }
}

TEST(DoubtAbout, TwoSettledSidesWithFewLateSlicesIsNone) {
  const Steadiness settled{Phase::kSettled, 0.01}, settling{Phase::kSettling, 0};
  EXPECT_EQ(doubt_about(settled, settled, false), Doubt::kNone);
  EXPECT_EQ(doubt_about(settled, settled, true), Doubt::kLate);
  EXPECT_EQ(doubt_about(settled, settling, false), Doubt::kUnsettled);
  EXPECT_EQ(doubt_about(settling, settled, true), Doubt::kUnsettled) << "the rate settles first";
}

TEST(BarrierSegments, ATraceWithoutMarksHasNone) {
  EXPECT_TRUE(barrier_segments(TraceBuilder{}.track("main").slice("a", 0_ms, 1_ms).build()).empty());
}

}  // namespace
}  // namespace runahead::analysis
