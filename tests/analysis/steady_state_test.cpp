#include "instrumentation/analysis/steady_state.h"

#include <gtest/gtest.h>

#include "tests/support/trace_builder.h"

namespace runahead::analysis {
namespace {

using namespace testing;  // NOLINT: for literals such as 1_ms
using trace::SliceKind;

TraceBuilder marked(const char* first, const char* second) {
  TraceBuilder builder;
  builder.track("barrier", trace::TrackKind::kMarkers).instant(first, 0_ms);
  if (second != nullptr) builder.instant(second, 100_ms);
  return builder;
}

TEST(BarrierAfter, IsTheLastWordOfAChangeOrAStart) {
  EXPECT_EQ(barrier_after("none -> window:2"), "window:2");
  EXPECT_EQ(barrier_after("start: item"), "item");
  EXPECT_EQ(barrier_after("something else"), "");
}

TEST(SteadyFrom, IsTheEndOfTheFirstWaitUnderTheNewBarrier) {
  TraceBuilder builder = marked("start: none", "none -> item");
  builder.track("main", trace::TrackKind::kFrontend)
      .slice("step", 90_ms, 60_ms, SliceKind::kStep)
      .slice("enqueue", 101_ms, 1_ms, SliceKind::kEnqueue)
      .slice("item", 105_ms, 40_ms, SliceKind::kWait)
      .slice("item", 160_ms, 5_ms, SliceKind::kWait);
  EXPECT_EQ(steady_from(builder.build(), {at(100_ms), "none -> item"}, Timestamp::max()), at(145_ms));
}

TEST(SteadyFrom, IsOpenWhileTheFirstWaitGoesOn) {
  TraceBuilder builder = marked("start: none", "none -> item");
  builder.track("main", trace::TrackKind::kFrontend)
      .open_slice("item", 105_ms, SliceKind::kWait)
      .watermark(200_ms);
  EXPECT_EQ(steady_from(builder.build(), {at(100_ms), "none -> item"}, Timestamp::max()), std::nullopt);
}

TEST(SteadyFrom, ABarrierTakenAwayOrNeverMetSettlesAtOnce) {
  TraceBuilder builder = marked("start: item", "item -> none");
  builder.track("main", trace::TrackKind::kFrontend).slice("item", 120_ms, 9_ms, SliceKind::kWait);
  EXPECT_EQ(steady_from(builder.build(), {at(100_ms), "item -> none"}, Timestamp::max()), at(100_ms));
  TraceBuilder quiet = marked("start: none", "none -> ops:100");
  quiet.track("main", trace::TrackKind::kFrontend).slice("enqueue", 120_ms, 1_ms, SliceKind::kEnqueue);
  EXPECT_EQ(steady_from(quiet.build(), {at(100_ms), "none -> ops:100"}, Timestamp::max()), at(100_ms));
}

TEST(SteadyFrom, WaitsForTheSafetyLimitDoNotCount) {
  TraceBuilder builder = marked("start: none", "none -> item");
  builder.track("main", trace::TrackKind::kFrontend)
      .slice("held by the limit", 101_ms, 10_ms, SliceKind::kWait)
      .flags(trace::kSliceHeldByLimit)
      .slice("item", 120_ms, 30_ms, SliceKind::kWait);
  EXPECT_EQ(steady_from(builder.build(), {at(100_ms), "none -> item"}, Timestamp::max()), at(150_ms));
}

TEST(AroundChanges, AreFromWhereEachBarrierHasSettledToTheNextChange) {
  TraceBuilder builder;
  builder.track("barrier", trace::TrackKind::kMarkers)
      .instant("start: none", 0_ms)
      .instant("none -> item", 100_ms)
      .instant("item -> none", 200_ms);
  builder.track("main", trace::TrackKind::kFrontend)
      .slice("enqueue", 0_ms, 1_ms, SliceKind::kEnqueue)
      .slice("item", 105_ms, 40_ms, SliceKind::kWait)
      .slice("enqueue", 290_ms, 10_ms, SliceKind::kEnqueue);
  const std::vector<AroundChange> changes = around_changes(builder.build());
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(changes[0].change.label, "none -> item");
  EXPECT_EQ(changes[0].before, range(0_ms, 100_ms));
  EXPECT_EQ(changes[0].after, range(145_ms, 200_ms));
  EXPECT_EQ(changes[1].before, range(145_ms, 200_ms));
  EXPECT_EQ(changes[1].after, range(200_ms, 300_ms));
}

TEST(AroundChanges, OfABarrierThatNeverSettledBeginAtTheChangeItself) {
  TraceBuilder builder = marked("start: none", "none -> item");
  builder.instant("item -> none", 140_ms);
  builder.track("main", trace::TrackKind::kFrontend).slice("item", 105_ms, 80_ms, SliceKind::kWait);
  const std::vector<AroundChange> changes = around_changes(builder.build());
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(changes[0].after, range(100_ms, 140_ms));
  EXPECT_TRUE(changes[0].before_settled);
  EXPECT_FALSE(changes[0].after_settled);
  EXPECT_FALSE(changes[1].before_settled);
  EXPECT_TRUE(changes[1].after_settled) << "none has no backlog of its own to wait for";
}

// The backlog of none drains until 180 ms, and `steps` more steps finish by the end at 200 ms.
trace::Trace drains_late(int steps) {
  TraceBuilder builder = marked("start: none", "none -> item");
  builder.track("main", trace::TrackKind::kFrontend)
      .slice("item", 105_ms, 75_ms, SliceKind::kWait)
      .slice("item", 199_ms, 1_ms, SliceKind::kWait);
  builder.counter("steps", trace::CounterRole::kStepsFinished)
      .sample(0_ms, 0)
      .sample(100_ms, 50)
      .sample(180_ms, 100)
      .sample(200_ms, 100 + steps);
  return builder.build();
}

TEST(AroundChanges, OfABarrierWithAStepOrTwoAfterTheBacklogBeginAtTheChangeItself) {
  const AroundChange few = around_changes(drains_late(3)).at(0);
  EXPECT_EQ(few.after, range(100_ms, 200_ms));
  EXPECT_FALSE(few.after_settled);
  const AroundChange enough = around_changes(drains_late(4)).at(0);
  EXPECT_EQ(enough.after, range(180_ms, 200_ms));
  EXPECT_TRUE(enough.after_settled);
}

TEST(AroundChanges, OfABarrierWithoutABacklogAreSettledHoweverFewStepsTheyHave) {
  TraceBuilder builder = marked("start: none", "none -> item");
  builder.instant("item -> none", 200_ms);
  builder.track("main", trace::TrackKind::kFrontend)
      .slice("item", 105_ms, 5_ms, SliceKind::kWait)
      .slice("enqueue", 220_ms, 1_ms, SliceKind::kEnqueue);
  builder.counter("steps", trace::CounterRole::kStepsFinished)
      .sample(0_ms, 0)
      .sample(90_ms, 2)
      .sample(190_ms, 50)
      .sample(221_ms, 51);
  const std::vector<AroundChange> changes = around_changes(builder.build());
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_TRUE(changes[0].before_settled) << "a start has no backlog";
  EXPECT_TRUE(changes[0].after_settled);
  EXPECT_TRUE(changes[1].after_settled) << "none does not wait for the steps of item";
}

TEST(AroundChanges, TheFirstWaitOfTheNextBarrierDoesNotCount) {
  TraceBuilder builder = marked("start: none", "none -> ops:100");
  builder.instant("ops:100 -> item", 200_ms);
  builder.track("main", trace::TrackKind::kFrontend)
      .slice("enqueue", 120_ms, 1_ms, SliceKind::kEnqueue)
      .slice("item", 205_ms, 5_ms, SliceKind::kWait)
      .slice("item", 290_ms, 5_ms, SliceKind::kWait);
  const std::vector<AroundChange> changes = around_changes(builder.build());
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(changes[0].after, range(100_ms, 200_ms));
  EXPECT_TRUE(changes[0].after_settled) << "the frontend never waited for ops:100";
}

TEST(AroundChanges, AreNoneWithoutAChange) {
  EXPECT_TRUE(around_changes(marked("start: none", nullptr).build()).empty());
  EXPECT_TRUE(around_changes(trace::Trace()).empty());
}

}  // namespace
}  // namespace runahead::analysis
