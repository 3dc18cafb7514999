#include "gui/answers/strip_tracker.h"

#include <gtest/gtest.h>

#include "instrumentation/recording/recording.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/trace_builder.h"

namespace runahead::gui {
namespace {

using runahead::testing::at;
using runahead::testing::ScratchFolder;
using runahead::testing::operator""_ms;
using runahead::testing::TraceBuilder;
using trace::SliceKind;

TraceBuilder marked(const char* first, const char* second) {
  TraceBuilder builder;
  builder.track("barrier", trace::TrackKind::kMarkers).instant(first, 0_ms);
  if (second != nullptr) builder.instant(second, 100_ms);
  return builder;
}

TEST(StripTracker, LeavesTheBacklogOutOfTheFiguresAfterAToggle) {
  TraceBuilder builder = marked("start: none", "none -> item");
  builder.track("main", trace::TrackKind::kFrontend)
      .slice("item", 105_ms, 45_ms, SliceKind::kWait)
      .slice("item", 160_ms, 10_ms, SliceKind::kWait);
  builder.counter("live", trace::CounterRole::kLiveBytes, trace::Unit::kBytes)
      .sample(10_ms, 500)
      .sample(99_ms, 800)
      .sample(150_ms, 20)
      .sample(160_ms, 40)
      .sample(200_ms, 20);
  StripTracker tracker;
  const auto state = tracker.update(builder.build());
  ASSERT_TRUE(state.has_value());
  EXPECT_EQ(state->after.phase, analysis::Phase::kSettling);
  EXPECT_EQ(state->figures.before.peak_bytes, 800);
  EXPECT_EQ(state->figures.after.range.begin, at(150_ms));
  EXPECT_EQ(state->figures.after.peak_bytes, 40);
}

TEST(StripTracker, BeginsAnewWhereTheFirstWaitEnds) {
  TraceBuilder draining = marked("start: none", "none -> item");
  draining.track("main", trace::TrackKind::kFrontend)
      .open_slice("item", 105_ms, SliceKind::kWait)
      .watermark(140_ms);
  TraceBuilder steady = marked("start: none", "none -> item");
  steady.track("main", trace::TrackKind::kFrontend)
      .slice("item", 105_ms, 45_ms, SliceKind::kWait)
      .watermark(170_ms);
  StripTracker tracker;
  EXPECT_EQ(tracker.update(draining.build())->after.phase, analysis::Phase::kDraining);
  const auto state = tracker.update(steady.build());
  EXPECT_EQ(state->after.phase, analysis::Phase::kSettling);
  EXPECT_EQ(state->figures.after.range.begin, at(150_ms));
}

// A run with 30 steps/s in its first two seconds (the warm-up, which touches memory for the first time), then
// 100 steps/s without a barrier. From `toggle` on it has a barrier and 50 steps/s.
trace::Trace warmed_up_and_toggled(Duration toggle, Duration end) {
  TraceBuilder builder;
  builder.track("barrier", trace::TrackKind::kMarkers)
      .instant("start: none", 0_ms)
      .instant("none -> item", toggle);
  builder.counter("steps", trace::CounterRole::kStepsFinished).sample(0_ms, 0);
  int done = 0;
  for (Duration t = 0_ms; t < end; t += t < 2000_ms ? 33_ms : t < toggle ? 10_ms : 20_ms)
    builder.sample(t + 1_ms, ++done);
  builder.track("main", trace::TrackKind::kFrontend).slice("item", toggle + 1_ms, 5_ms, SliceKind::kWait);
  return builder.watermark(end).build();
}

TEST(StripTracker, ComparesTheSteadyPartsOnceBothSidesHaveOne) {
  StripTracker tracker;
  const auto early = tracker.update(warmed_up_and_toggled(6000_ms, 7000_ms));
  EXPECT_EQ(early->before.phase, analysis::Phase::kSettled);
  EXPECT_NEAR(early->figures.before.steps_per_s, 100, 2) << "without the warm-up";
  EXPECT_EQ(early->after.phase, analysis::Phase::kSettling);
  EXPECT_FALSE(analysis::both_settled(early->before, early->after));
  const auto later = tracker.update(warmed_up_and_toggled(6000_ms, 9000_ms));
  EXPECT_TRUE(analysis::both_settled(later->before, later->after));
  EXPECT_NEAR(later->figures.after.steps_per_s, 50, 1);
  EXPECT_LT(later->after.spread, 0.05);
  ASSERT_EQ(later->left_out_before.size(), 1u);
  EXPECT_EQ(later->left_out_before[0].phase, analysis::Phase::kWarmingUp);
  EXPECT_EQ(later->left_out_before[0].range.end, later->figures.before.range.begin);
  ASSERT_FALSE(later->left_out_after.empty());
  EXPECT_EQ(later->left_out_after[0].phase, analysis::Phase::kDraining);
  EXPECT_EQ(later->left_out_after[0].range.begin, later->figures.change.at);
  EXPECT_EQ(later->left_out_after.back().range.end, later->figures.after.range.begin);
}

TEST(StripTracker, AToggleDuringTheWarmUpGivesNoAnswer) {
  StripTracker tracker;
  const auto state = tracker.update(warmed_up_and_toggled(2500_ms, 9000_ms));
  EXPECT_EQ(state->before.phase, analysis::Phase::kWarmingUp);
  EXPECT_EQ(state->after.phase, analysis::Phase::kSettled);
  EXPECT_FALSE(analysis::both_settled(state->before, state->after));
}

TEST(StripTracker, WithoutAToggleTheFiguresAreSinceTheStartAndHaveNoBefore) {
  TraceBuilder builder = marked("start: none", nullptr);
  builder.track("main", trace::TrackKind::kFrontend)
      .slice("enqueue", 5_ms, 1_ms, SliceKind::kEnqueue)
      .watermark(50_ms);
  StripTracker tracker;
  const auto state = tracker.update(builder.build());
  ASSERT_TRUE(state.has_value());
  EXPECT_TRUE(state->figures.before.range.empty());
  EXPECT_EQ(state->figures.after.range.begin, at(0_ms));
}

// A run with a preparation of 1 s, 4 s without steps, and 4 s with 100 steps/s.
TraceBuilder in_parts(Duration end) {
  TraceBuilder builder = marked("start: none", nullptr);
  builder.track("parts", trace::TrackKind::kMarkers).instant("part: preparation", 0_ms);
  if (end > 1000_ms) builder.instant("part: op by op", 1000_ms);
  if (end > 5000_ms) builder.instant("part: compiled", 5000_ms);
  if (end > 9000_ms) builder.instant("part: results", 9000_ms);
  builder.counter("steps", trace::CounterRole::kStepsFinished).sample(0_ms, 0);
  for (int i = 1; i <= 400 && 5000_ms + i * 10_ms <= end; ++i) builder.sample(5000_ms + i * 10_ms, i);
  builder.track("main", trace::TrackKind::kFrontend).slice("touch", 0_ms, 500_ms);
  return builder.watermark(end);
}

TEST(StripTracker, ShowsThePartWithStepsAndNamesIt) {
  StripTracker tracker;
  const auto state = tracker.update(in_parts(10000_ms).build());
  EXPECT_EQ(state->part, "compiled");
  EXPECT_TRUE(state->several_parts);
  EXPECT_FALSE(state->chosen);
  EXPECT_NEAR(state->figures.after.steps_per_s, 100, 0.5) << "without the parts before and after";
  EXPECT_GE(state->figures.after.range.begin, at(5000_ms));
  EXPECT_LE(state->figures.after.range.end, at(9000_ms));
}

TEST(StripTracker, ThePreparationIsNotMeasured) {
  StripTracker tracker;
  const auto preparing = tracker.update(in_parts(900_ms).build());
  EXPECT_EQ(preparing->part, "preparation");
  EXPECT_TRUE(preparing->figures.after.range.empty());
  const auto first = tracker.update(in_parts(3000_ms).build());
  EXPECT_EQ(first->part, "op by op");
  EXPECT_EQ(first->figures.after.range, testing::range(1000_ms, 3000_ms));
  const auto second = tracker.update(in_parts(5500_ms).build());
  EXPECT_EQ(second->part, "compiled");
  EXPECT_EQ(second->figures.after.range.begin, at(5000_ms));
}

TEST(StripTracker, ThePartThatTheUserMeasuresIsShown) {
  StripTracker tracker;
  const trace::Trace trace = in_parts(10000_ms).build();
  const auto state = tracker.update(trace, testing::range(1000_ms, 5000_ms));
  EXPECT_EQ(state->part, "op by op");
  EXPECT_TRUE(state->chosen);
  EXPECT_EQ(state->figures.after.range, testing::range(1000_ms, 5000_ms));
  EXPECT_EQ(state->figures.after.steps, 0);
  EXPECT_EQ(tracker.update(trace, testing::range(0_ms, 1000_ms))->part, "preparation");
  EXPECT_EQ(tracker.update(trace, testing::range(1000_ms, 4000_ms))->part, "compiled") << "not a part";
  EXPECT_FALSE(tracker.update(trace, testing::range(5000_ms, 9000_ms))->chosen) << "shown anyway";
}

TEST(StripTracker, ABarrierOfTheMeasuredPartHasABeforeThatLiesInIt) {
  TraceBuilder builder = in_parts(10000_ms);
  builder.on("barrier").instant("none -> item", 7500_ms);
  StripTracker tracker;
  const auto state = tracker.update(builder.build());
  EXPECT_EQ(state->figures.change.label, "none -> item");
  EXPECT_EQ(state->figures.before.range.begin, at(5000_ms));
  EXPECT_NEAR(state->figures.before.steps_per_s, 100, 0.5);
  const auto first = tracker.update(builder.build(), testing::range(1000_ms, 5000_ms));
  EXPECT_TRUE(first->figures.before.range.empty()) << "the barrier changed in another part";
}

TEST(StripTracker, ReadsNothingOfWhatARecordingsWorkersDid) {
  const ScratchFolder folder;
  TraceBuilder builder = marked("start: none", nullptr);
  builder.track("cpu 0", trace::TrackKind::kWorker);
  for (int i = 0; i < 5000; ++i)
    builder.slice("matmul", Duration{i * 1000}, Duration{900}, SliceKind::kExecute);
  builder.watermark(5_ms);
  ASSERT_TRUE(recordings::save_recording(builder.build(), folder / "a.runahead").ok());
  const auto opened = recordings::open_recording(folder / "a.runahead");
  ASSERT_NE(opened->store(), nullptr);
  StripTracker tracker;
  ASSERT_TRUE(tracker.update(*opened).has_value());
  EXPECT_EQ(opened->store()->stats().loads, 0u);
}

}  // namespace
}  // namespace runahead::gui
