#include "gui/core/warm_up.h"

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
  EXPECT_FALSE(state->draining);
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
  EXPECT_TRUE(tracker.update(draining.build())->draining);
  const auto state = tracker.update(steady.build());
  EXPECT_FALSE(state->draining);
  EXPECT_EQ(state->figures.after.range.begin, at(150_ms));
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
