#include "gui/timeline/arrange.h"

#include <gtest/gtest.h>

#include "gui/timeline/interaction.h"
#include "gui/timeline/rows.h"
#include "gui/timeline/timeline_commands.h"
#include "tests/timeline/golden.h"
#include "tests/timeline/sample_run.h"

namespace runahead::gui {
namespace {

using namespace testing;

using Labels = std::vector<std::string>;
using Ids = std::vector<TrackId>;

// Applies commands to sample_run() and checks the rows.
class ArrangeTest : public ::testing::Test {
 protected:
  void apply(const TimelineCommand& command) { apply_timeline(command, trace, state); }
  std::vector<SceneRow> rows() const {
    std::vector<SceneRow> rows;
    build_rows(trace, state, 1, rows);
    return rows;
  }
  Labels labels() const {
    Labels labels;
    for (const SceneRow& row : rows()) {
      if (row.depth == 0) labels.push_back(row.label);
    }
    return labels;
  }

  trace::Trace trace = sample_run();
  TimelineState state{.view = range(0_us, 1000_us)};
};

TEST_F(ArrangeTest, APinnedTrackStandsAboveAllOthersAndNotInItsGroup) {
  apply(PinTrack{kTracks.copy_out});
  EXPECT_EQ(labels(), (Labels{"virtual:0 copy to host", "Frontend", "main", "Queue", "run-ahead virtual:0",
                              "1 more", "virtual:0", "compute", "Memory", "live virtual:0"}));
  EXPECT_TRUE(rows().front().pinned);
  EXPECT_EQ(rows().front().indent, 0);
  apply(PinTrack{kTracks.copy_out, false});
  EXPECT_EQ(labels().front(), "Frontend");
  EXPECT_TRUE(state.pinned.empty());
}

TEST_F(ArrangeTest, APinnedGroupTakesWhatIsInItAlong) {
  apply(PinTrack{kTracks.memory_group});
  apply(PinTrack{kTracks.compute});
  const auto all = rows();
  EXPECT_EQ(labels(), (Labels{"Memory", "live virtual:0", "virtual:0 compute", "Frontend", "main", "Queue",
                              "run-ahead virtual:0", "1 more", "virtual:0", "copy to host"}));
  EXPECT_TRUE(all[0].pinned && all[1].pinned && all[2].pinned && !all[3].pinned);
}

TEST_F(ArrangeTest, AGroupOfWhichAllIsPinnedHasNoHeader) {
  apply(PinTrack{kTracks.main});
  EXPECT_EQ(labels()[1], "Queue");
}

TEST_F(ArrangeTest, PinningShowsAndHidingUnpins) {
  apply(HideTrack{kTracks.main});
  apply(PinTrack{kTracks.main});
  EXPECT_TRUE(state.hidden.empty());
  apply(HideTrack{kTracks.main});
  EXPECT_TRUE(state.pinned.empty());
  EXPECT_EQ(state.hidden, Ids{kTracks.main});
  apply(HideTrack{kTracks.main});
  EXPECT_EQ(state.hidden.size(), 1u) << "hidden once, however often it is asked";
}

TEST_F(ArrangeTest, ATrackIsPlacedAmongItsSiblings) {
  apply(PlaceTrack{kTracks.copy_out, kTracks.compute});
  EXPECT_EQ(labels()[6], "copy to host");
  EXPECT_EQ(labels()[7], "compute");
  apply(PlaceTrack{kTracks.copy_out, kNoTrack});
  EXPECT_EQ(labels()[6], "compute");
  EXPECT_TRUE(state.order.empty()) << "the captured order needs no entry";
}

TEST_F(ArrangeTest, AGroupMovesWithAllThatIsInIt) {
  apply(PlaceTrack{kTracks.memory_group, kTracks.frontend_group});
  EXPECT_EQ(labels(), (Labels{"Memory", "live virtual:0", "Frontend", "main", "Queue", "run-ahead virtual:0",
                              "1 more", "virtual:0", "compute", "copy to host"}));
  EXPECT_EQ(state.order, Ids{kTracks.memory_group}) << "the order names no more tracks than necessary";
}

TEST_F(ArrangeTest, ATrackDoesNotLeaveItsGroup) {
  const Labels before = labels();
  apply(PlaceTrack{kTracks.compute, kTracks.main});
  apply(PlaceTrack{kTracks.compute, kTracks.compute});
  apply(PlaceTrack{TrackId{99}, kTracks.main});
  EXPECT_EQ(labels(), before);
}

TEST_F(ArrangeTest, PinnedOnesAreReorderedAmongThemselves) {
  apply(PinTrack{kTracks.main});
  apply(PinTrack{kTracks.compute});
  apply(PlaceTrack{kTracks.compute, kTracks.main});
  EXPECT_EQ(state.pinned, (Ids{kTracks.compute, kTracks.main}));
  apply(PlaceTrack{kTracks.compute, kTracks.copy_out});  // no effect, because copy_out is not pinned
  EXPECT_EQ(state.pinned, (Ids{kTracks.compute, kTracks.main}));
}

TEST_F(ArrangeTest, ShowOnlyLeavesOneGroupAndShowAllBringsTheOthersBack) {
  const Labels before = labels();
  apply(ShowOnly{kTracks.compute});
  EXPECT_EQ(labels(), (Labels{"virtual:0", "compute"}));
  EXPECT_EQ(hidden_count(trace, state), 4u) << "three groups, and the other track of its group";
  apply(ShowAllTracks{});
  EXPECT_EQ(labels(), before);
}

TEST_F(ArrangeTest, ShowingATrackShowsTheGroupThatItIsIn) {
  apply(HideTrack{kTracks.device_group});
  apply(HideTrack{kTracks.compute});
  EXPECT_FALSE(is_shown(trace, state, kTracks.copy_out));
  apply(ShowTrack{kTracks.compute});
  EXPECT_TRUE(is_shown(trace, state, kTracks.compute));
  EXPECT_TRUE(is_shown(trace, state, kTracks.copy_out));
}

TEST_F(ArrangeTest, APinnedTrackIsShownThoughItsGroupIsHidden) {
  apply(HideTrack{kTracks.device_group});
  apply(PinTrack{kTracks.compute});
  EXPECT_EQ(labels().front(), "virtual:0 compute");
  EXPECT_TRUE(is_shown(trace, state, kTracks.compute));
  EXPECT_FALSE(is_shown(trace, state, kTracks.copy_out));
}

TEST_F(ArrangeTest, FoldAllFoldsTheGroupsAndUnfoldAllEverythingButCounters) {
  apply(FoldAll{true});
  EXPECT_EQ(labels(), (Labels{"Frontend", "Queue", "virtual:0", "Memory"}));
  apply(FoldAll{true});
  EXPECT_EQ(state.collapsed.size(), 4u);
  apply(ToggleFold{kTracks.main});
  apply(ToggleFold{kTracks.live_bytes});
  apply(FoldAll{false});
  EXPECT_EQ(state.collapsed, Ids{kTracks.live_bytes});
}

TEST_F(ArrangeTest, SiblingsLieBelowEachOtherWithAllThatIsInThem) {
  apply(PinTrack{kTracks.main});
  const auto groups = shown_siblings(trace, state, rows(), kTracks.queue_group);
  ASSERT_EQ(groups.size(), 3u) << "the frontend's group is empty";
  EXPECT_EQ(groups[0].track, kTracks.queue_group);
  EXPECT_EQ(groups[2].track, kTracks.memory_group);
  EXPECT_LT(groups[0].bottom_px, groups[1].top_px + 0.1f);
  const auto pinned = shown_siblings(trace, state, rows(), kTracks.main);
  ASSERT_EQ(pinned.size(), 1u);
  EXPECT_EQ(pinned[0].bottom_px - pinned[0].top_px, 2 * kLaneHeightPx);
}

TEST_F(ArrangeTest, PinnedRowsThatTakeTooMuchOfThePlotScrollWithTheOthers) {
  apply(PinTrack{kTracks.main});          // 40 px
  apply(PinTrack{kTracks.memory_group});  // 64 px
  EXPECT_FLOAT_EQ(held_height(rows(), 400, 1), rows()[3].y_px + rows()[3].height_px + kPinnedGapPx);
  EXPECT_FLOAT_EQ(held_height(rows(), 150, 1), rows()[2].y_px) << "whole tracks only";
  EXPECT_FALSE(is_held(rows()[2], held_height(rows(), 150, 1)));
  EXPECT_FLOAT_EQ(held_height(rows(), 60, 1), 0);
}

TEST_F(ArrangeTest, AScrolledSceneWithPinnedRowsIsAsReviewed) {
  apply(PinTrack{kTracks.copy_out});
  apply(PlaceTrack{kTracks.memory_group, kTracks.frontend_group});
  apply(HideTrack{kTracks.run_ahead});
  state.scroll_y_px = 50;
  state.selected = SliceRef{kTracks.main, 1, 1};
  expect_golden("timeline_pinned_scrolled", scene_text(scene_of(trace, state, {500, 160, 1}), trace));
}

TEST_F(ArrangeTest, WhatLiesUnderThePinnedRowsIsNotHit) {
  apply(PinTrack{kTracks.copy_out});
  state.scroll_y_px = 30;
  const Scene scene = scene_of(trace, state, {500, 160, 1});
  ASSERT_GT(scene.held_px, 20);
  EXPECT_EQ(scene.rows.at(row_at(scene, 10).value()).track, kTracks.copy_out);
  EXPECT_EQ(row_at(scene, scene.held_px - 1), std::nullopt) << "the gap under them";
  EXPECT_NE(scene.rows.at(row_at(scene, scene.held_px + 1).value()).track, kTracks.copy_out);
}

}  // namespace
}  // namespace runahead::gui
