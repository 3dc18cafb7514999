// Tests the effect of a comparison on the window's state, without a window.
#include <gtest/gtest.h>

#include <memory>

#include "gui/core/app_core.h"
#include "gui/core/comparing_part.h"
#include "instrumentation/recording/recording.h"
#include "tests/support/between_checks.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/trace_builder.h"

namespace runahead::gui {
namespace {

using namespace runahead::testing;  // NOLINT: for literals such as 1_ms
using runahead::testing::ScratchFolder;
using runahead::testing::TraceBuilder;
using trace::SliceKind;
using trace::TrackKind;
using Problem = CompareAnswer::Problem;

constexpr auto kBound = std::size_t{8} << 20;

TraceBuilder steps(int count, Duration length) {
  TraceBuilder builder;
  builder.track("barrier", TrackKind::kMarkers).instant("start: none", 0_ms).instant("none -> item", 100_ms);
  builder.track("cpu 0", TrackKind::kWorker).device("cpu", false);
  for (int i = 0; i < count; ++i) builder.slice("dot", 10_ms * i, length, SliceKind::kExecute);
  return builder;
}

class ComparingTest : public ::testing::Test {
 protected:
  ComparingTest() : core_(Settings{}, {}, [] {}) {
    GuiOptions options;
    options.files = {save("a.runahead", steps(20, 4_ms))};
    options.retain_bytes = kBound;
    core_.begin(options);
    EXPECT_TRUE(poll_until([&] { return core_.idle() && !core_.model().files.opened.empty(); }));
    core_.advance_view();
  }

  std::filesystem::path save(const char* name, const TraceBuilder& builder) {
    EXPECT_TRUE(recordings::save_recording(builder.build(), folder_ / name).ok());
    return folder_ / name;
  }
  bool poll_until(const std::function<bool()>& condition) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (std::chrono::steady_clock::now() < deadline) {
      core_.poll();
      core_.advance_view();
      if (condition()) return true;
      between_checks();
    }
    return false;
  }
  CompareFacts facts() { return core_.model().compare; }
  bool compared(CompareMode mode) {
    return poll_until([&] {
      const CompareFacts now = facts();
      return now.answer != nullptr && now.answer->asked.mode == mode && now.answer->asked == now.choice;
    });
  }
  void open_other(int count, Duration length) {
    core_.apply(FileChosen{FilePurpose::kCompare, save("b.runahead", steps(count, length))});
    ASSERT_TRUE(poll_until([&] { return facts().b_name == "b.runahead"; }));
    ASSERT_TRUE(compared(CompareMode::kRecording));
  }

  ScratchFolder folder_;
  AppCore core_;
};

TEST_F(ComparingTest, OpensOnTheLastChangeAndAlignsBothSides) {
  core_.apply(TogglePanel{"compare"});
  ASSERT_TRUE(compared(CompareMode::kChange));
  const analysis::Comparison& both = facts().answer->comparison;
  EXPECT_EQ(both.a_range, range(0_ms, 100_ms));
  EXPECT_EQ(both.b_range.begin, at(100_ms));
  ASSERT_NE(facts().b_trace, nullptr);
  EXPECT_EQ(facts().b_timeline->view.begin - core_.timeline().view.begin, 100_ms);
}

TEST_F(ComparingTest, AnotherRecordingIsComparedAndMovesAlongUntilUnlinked) {
  core_.apply(TogglePanel{"compare"});
  open_other(10, 8_ms);
  ASSERT_EQ(facts().answer->comparison.names.size(), 1u);
  EXPECT_DOUBLE_EQ(facts().answer->comparison.names[0].total_ratio().value, 1);
  EXPECT_DOUBLE_EQ(facts().answer->comparison.names[0].median_ratio().value, 2);
  core_.apply(TimelineCommand{ZoomTo{range(20_ms, 30_ms)}});
  core_.advance_view();
  EXPECT_EQ(facts().b_timeline->view, range(20_ms, 30_ms));
  core_.apply(OnLowerTimeline{ZoomTo{range(40_ms, 60_ms)}});
  core_.advance_view();
  EXPECT_EQ(core_.timeline().view, range(40_ms, 60_ms));
  core_.apply(LinkCompared{false});
  core_.apply(TimelineCommand{ZoomTo{range(0_ms, 5_ms)}});
  core_.advance_view();
  EXPECT_EQ(facts().b_timeline->view, range(40_ms, 60_ms));
  core_.apply(LinkCompared{true});
  core_.advance_view();
  EXPECT_EQ(facts().b_timeline->view, range(0_ms, 5_ms));
}

TEST_F(ComparingTest, ATraceInMemoryIsComparedAndThePanelIsShown) {
  const auto predicted = std::make_shared<const trace::Trace>(steps(20, 2_ms).build());
  core_.apply(CompareWith{predicted, "predicted: barrier=none"});
  EXPECT_TRUE(core_.panels().shows(kComparePanel));
  ASSERT_TRUE(compared(CompareMode::kRecording));
  EXPECT_EQ(facts().b_name, "predicted: barrier=none");
  EXPECT_NE(facts().b_trace, nullptr);
  core_.apply(CompareWith{predicted, "predicted: barrier=item", range(0_ms, 50_ms)});
  ASSERT_TRUE(compared(CompareMode::kRecording));
  EXPECT_EQ(facts().answer->comparison.a_range, range(0_ms, 50_ms));
  EXPECT_TRUE(core_.panels().shows(kComparePanel)) << "it was shown, and stays";
  EXPECT_EQ(facts().b_name, "predicted: barrier=item");
  core_.apply(CloseComparison{});
  EXPECT_FALSE(core_.panels().shows(kComparePanel));
}

TEST_F(ComparingTest, BothRecordingsShareTheBoundAndClosingGivesItBack) {
  const auto limit = [&] { return core_.trace().store()->stats().limit_bytes; };
  EXPECT_EQ(limit(), kBound);
  core_.apply(TogglePanel{"compare"});
  open_other(10, 8_ms);
  EXPECT_EQ(limit(), kBound / 2);
  EXPECT_EQ(facts().b_trace->store()->stats().limit_bytes, kBound / 2);
  core_.apply(CloseComparison{});
  EXPECT_EQ(limit(), kBound);
  EXPECT_FALSE(core_.model().shows("compare"));
  core_.apply(TogglePanel{"compare"});
  ASSERT_TRUE(compared(CompareMode::kChange));
  EXPECT_EQ(facts().b_name, "") << "the other recording is closed";
}

TEST_F(ComparingTest, GivesWayToAnotherPanelAndIsAsItWasWhenItIsBack) {
  core_.apply(TogglePanel{"compare"});
  open_other(10, 8_ms);
  core_.apply(TogglePanel{"find"});
  core_.advance_view();
  EXPECT_FALSE(core_.model().shows("compare"));
  EXPECT_EQ(core_.model().compare.b_trace, nullptr);
  core_.apply(TimelineCommand{ZoomTo{range(20_ms, 30_ms)}});
  core_.apply(TogglePanel{"compare"});
  core_.advance_view();
  EXPECT_FALSE(core_.model().shows("find"));
  EXPECT_EQ(facts().b_name, "b.runahead");
  EXPECT_EQ(core_.timeline().view, range(20_ms, 30_ms)) << "the view does not jump";
  EXPECT_EQ(facts().b_timeline->view, range(20_ms, 30_ms));
}

TEST_F(ComparingTest, BothTimelinesShowTheSameTracksAndKeepThem) {
  const auto cpu = TrackId{1};  // a track that both recordings have
  core_.apply(TogglePanel{"compare"});
  open_other(10, 8_ms);
  core_.apply(OnLowerTimeline{HideTrack{cpu}});
  core_.advance_view();
  EXPECT_EQ(facts().b_timeline->hidden, std::vector<TrackId>{cpu});
  EXPECT_EQ(core_.timeline().hidden, std::vector<TrackId>{cpu});
  core_.apply(TimelineCommand{ToggleFold{cpu}});
  core_.advance_view();
  EXPECT_EQ(facts().b_timeline->collapsed, std::vector<TrackId>{cpu});
  core_.apply(CloseComparison{});
  core_.apply(TogglePanel{"compare"});
  ASSERT_TRUE(compared(CompareMode::kChange));
  EXPECT_EQ(facts().b_timeline->hidden, std::vector<TrackId>{cpu})
      << "the choice also applies to two halves of one trace";
  core_.apply(OnLowerTimeline{ShowAllTracks{}});
  EXPECT_EQ(core_.settings().tracks, (TrackChoices{.collapsed = {"cpu 0"}}));
}

TEST_F(ComparingTest, ALowerTimelineOfAnotherTraceForgetsWhatWasSelectedThere) {
  core_.apply(TogglePanel{"compare"});
  open_other(10, 8_ms);
  core_.apply(OnLowerTimeline{SelectSlice{{TrackId{1}, 0, 3, false}}});
  ASSERT_TRUE(facts().b_timeline->selected.has_value());
  core_.apply(Compare{{.mode = CompareMode::kChange}});
  ASSERT_TRUE(compared(CompareMode::kChange));
  EXPECT_FALSE(facts().b_timeline->selected.has_value());
}

TEST_F(ComparingTest, WhatASideLostIsTold) {
  core_.apply(TogglePanel{"compare"});
  TraceBuilder lossy = steps(10, 8_ms);
  lossy.loss(trace::LossCause::kBufferFull, 12);
  core_.apply(FileChosen{FilePurpose::kCompare, save("lossy.runahead", lossy)});
  ASSERT_TRUE(poll_until([&] { return facts().b_name == "lossy.runahead"; }));
  ASSERT_TRUE(compared(CompareMode::kRecording));
  EXPECT_TRUE(facts().answer->comparison.a_losses.none());
  EXPECT_EQ(facts().answer->comparison.b_losses.of(trace::LossCause::kBufferFull), 12u);
}

TEST_F(ComparingTest, TwoRangesNeedBoth) {
  core_.apply(TogglePanel{"compare"});
  core_.apply(Compare{{.mode = CompareMode::kRanges, .change = {}, .a = range(0_ms, 50_ms), .b = {}}});
  ASSERT_TRUE(compared(CompareMode::kRanges));
  EXPECT_EQ(facts().answer->problem, Problem::kNoRanges);
  EXPECT_EQ(facts().b_trace, nullptr);
  core_.apply(Compare{
      {.mode = CompareMode::kRanges, .change = {}, .a = range(0_ms, 50_ms), .b = range(50_ms, 150_ms)}});
  ASSERT_TRUE(compared(CompareMode::kRanges));
  ASSERT_EQ(facts().answer->problem, Problem::kNone);
  EXPECT_EQ(facts().answer->comparison.names[0].a.count, 5u);
  EXPECT_EQ(facts().answer->comparison.names[0].b.count, 10u);
}

TEST_F(ComparingTest, ABarLeadsToTheSlicesOfItsSide) {
  core_.apply(TogglePanel{"compare"});
  open_other(10, 8_ms);
  const auto show = [&](Duration length) {
    core_.apply(ShowCompared{{"dot", SliceKind::kExecute, length, length}});
    return poll_until([&] { return facts().listed[0].count + facts().listed[1].count > 0; });
  };
  ASSERT_TRUE(show(4_ms));
  EXPECT_EQ(facts().listed[0].count, 20u);
  EXPECT_EQ(facts().listed[1].count, 0u);
  ASSERT_TRUE(core_.timeline().selected.has_value());
  EXPECT_EQ(core_.timeline().selected->row, 0u);
  core_.apply(StepCompared{CompareSide::kA, 1});
  EXPECT_EQ(core_.timeline().selected->row, 1u);
  core_.apply(StepCompared{CompareSide::kA, -2});
  EXPECT_EQ(core_.timeline().selected->row, 19u) << "wraps at the end";
  ASSERT_TRUE(show(8_ms));
  EXPECT_EQ(facts().listed[1].count, 10u);
  ASSERT_TRUE(facts().b_timeline->selected.has_value());
  EXPECT_EQ(core_.timeline().selected->row, 19u) << "the other side's timeline changes, not this one";
}

TEST_F(ComparingTest, AnotherTraceOnTheScreenForgetsItsRangesAndKeepsTheOther) {
  core_.apply(TogglePanel{"compare"});
  open_other(10, 8_ms);
  core_.apply(Compare{{.mode = CompareMode::kRecording, .change = {}, .a = range(0_ms, 50_ms), .b = {}}});
  ASSERT_TRUE(compared(CompareMode::kRecording));
  core_.apply(FileChosen{FilePurpose::kOpen, save("c.runahead", steps(30, 2_ms))});
  ASSERT_TRUE(poll_until([&] { return core_.model().files.opened.filename() == "c.runahead"; }));
  ASSERT_TRUE(compared(CompareMode::kRecording));
  EXPECT_EQ(facts().answer->comparison.names[0].a.count, 30u);
  EXPECT_EQ(facts().b_name, "b.runahead");
  EXPECT_EQ(core_.trace().store()->stats().limit_bytes, kBound / 2);
}

TEST_F(ComparingTest, AFileThatCannotBeOpenedIsAnErrorAndChangesNothing) {
  core_.apply(TogglePanel{"compare"});
  ASSERT_TRUE(compared(CompareMode::kChange));
  core_.apply(FileChosen{FilePurpose::kCompare, folder_ / "none.runahead"});
  ASSERT_TRUE(poll_until([&] { return !core_.error().empty(); }));
  EXPECT_NE(core_.error().find("none.runahead"), std::string::npos);
  EXPECT_EQ(facts().b_name, "");
  EXPECT_EQ(core_.model().files.opened.filename(), "a.runahead");
}

}  // namespace
}  // namespace runahead::gui
