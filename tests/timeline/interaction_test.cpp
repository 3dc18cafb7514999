#include "gui/timeline/interaction.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "gui/timeline/reveal.h"
#include "gui/timeline/rows.h"
#include "gui/timeline/scene/time_scale.h"
#include "tests/timeline/sample_run.h"

namespace runahead::gui {
namespace {

using namespace testing;

// A user in front of the timeline of sample_run(). 1000 px show 1000 us, unless a test changes the view.
class InteractionTest : public ::testing::Test {
 protected:
  // One frame: builds the scene, passes the input, and applies the commands.
  TimelineCommands frame(TimelineInput input) {
    scene = scene_of(trace, state, size);
    input.dt_s = 1.0 / 60;
    TimelineCommands commands;
    interact(trace, scene, state, input, gesture, commands);
    for (const TimelineCommand& command : commands) apply_timeline(command, trace, state);
    return commands;
  }
  TimelineCommands key(TimelineKey key) {
    TimelineInput input{.over = true};
    input.keys_pressed.set(static_cast<std::size_t>(key));
    return frame(input);
  }
  void press(float x, float y, bool shift = false) {
    frame({.x_px = x, .y_px = y, .over = true, .pressed = true, .down = true, .shift = shift});
  }
  void press_with_ctrl(float x, float y) {
    frame({.x_px = x, .y_px = y, .over = true, .pressed = true, .down = true, .ctrl = true});
  }
  void drag_with_ctrl(float x0, float y0, float x1, float y1) {
    press_with_ctrl(x0, y0);
    move((x0 + x1) / 2, (y0 + y1) / 2);
    move(x1, y1);
    release(x1, y1);
  }
  void move(float x, float y) { frame({.x_px = x, .y_px = y, .over = true, .down = true}); }
  void release(float x, float y) { frame({.x_px = x, .y_px = y, .over = true, .released = true}); }
  void click(float x, float y) {
    press(x, y);
    release(x, y);
  }
  void click_part(float x) {
    frame({.x_px = x, .y_px = -5, .parts_px = 18, .over = true, .pressed = true, .down = true});
    frame({.x_px = x, .y_px = -5, .parts_px = 18, .over = true, .released = true});
  }
  void drag(float x0, float y0, float x1, float y1, bool shift = false) {
    press(x0, y0, shift);
    move((x0 + x1) / 2, (y0 + y1) / 2);
    move(x1, y1);
    release(x1, y1);
  }
  void wheel(float x, float y, float notches, bool shift = false, bool ctrl = false) {
    frame({.x_px = x, .y_px = y, .over = true, .wheel = notches, .shift = shift, .ctrl = ctrl});
  }
  // The middle of a row on the screen, in px.
  float y_of(TrackId track, std::uint32_t depth) {
    scene = scene_of(trace, state, size);
    for (const SceneRow& row : scene.rows) {
      if (row.track == track && row.depth == depth) return row.y_px + row.height_px / 2;
    }
    ADD_FAILURE() << "no such row";
    return 0;
  }
  static void expect_near(TimeRange actual, TimeRange expected) {
    EXPECT_NEAR(static_cast<double>(ns_from(actual.begin)), static_cast<double>(ns_from(expected.begin)), 2);
    EXPECT_NEAR(static_cast<double>(ns_from(actual.end)), static_cast<double>(ns_from(expected.end)), 2);
  }

  trace::Trace trace = sample_run();
  TimelineState state{.view = range(0_us, 1000_us)};
  SceneSize size{1000, 400, 1};
  Scene scene;
  TimelineGesture gesture;
};

TEST_F(InteractionTest, NothingHappensWithoutInput) {
  EXPECT_TRUE(frame({}).empty());
  EXPECT_TRUE(state.follow);
}

TEST_F(InteractionTest, TheWheelZoomsAtThePointerAndStopsFollowing) {
  const Timestamp under = at(250_us);
  wheel(250, 50, 1);
  EXPECT_LT(state.view.duration(), 1000_us);
  EXPECT_NEAR((TimeScale{state.view, 1000}.x_from_time(under)), 250, 0.01);
  EXPECT_FALSE(state.follow);
  wheel(250, 50, -1);
  expect_near(state.view, range(0_us, 1000_us));
}

TEST_F(InteractionTest, ShiftAndTheWheelPan) {
  wheel(250, 50, -1, true);
  EXPECT_EQ(state.view.duration(), 1000_us);
  EXPECT_GT(state.view.begin, at(0_us));
  EXPECT_FALSE(state.follow);
}

TEST_F(InteractionTest, CtrlAndTheWheelOrTheWheelOverTheNamesScroll) {
  size.height_px = 100;
  wheel(250, 50, -1, false, true);
  const double once = state.scroll_y_px;
  EXPECT_GT(once, 0);
  wheel(-50, 50, -1);
  EXPECT_DOUBLE_EQ(state.scroll_y_px, 2 * once);
  EXPECT_EQ(state.view, range(0_us, 1000_us));
  EXPECT_TRUE(state.follow);
}

TEST_F(InteractionTest, ScrollingEndsAtTheContentsEnd) {
  size.height_px = 100;
  for (int i = 0; i < 100; ++i) wheel(-50, 50, -1);
  scene = scene_of(trace, state, size);
  EXPECT_DOUBLE_EQ(state.scroll_y_px, scene.content_height_px - 100);
  for (int i = 0; i < 100; ++i) wheel(-50, 50, 1);
  EXPECT_DOUBLE_EQ(state.scroll_y_px, 0);
}

TEST_F(InteractionTest, WAndSZoomAndAAndDPan) {
  key(TimelineKey::kZoomIn);
  const Duration closer = state.view.duration();
  EXPECT_LT(closer, 1000_us);
  EXPECT_FALSE(state.follow);
  key(TimelineKey::kZoomOut);
  EXPECT_NEAR(static_cast<double>(ns_from(state.view.duration())), 1'000'000, 5);
  const Timestamp begin = state.view.begin;
  key(TimelineKey::kPanRight);
  EXPECT_GT(state.view.begin, begin);
  key(TimelineKey::kPanLeft);
  EXPECT_NEAR(static_cast<double>(ns_from(state.view.begin)), static_cast<double>(ns_from(begin)), 5);
}

TEST_F(InteractionTest, AKeyThatIsHeldGoesOn) {
  TimelineInput held{.over = true};
  held.keys_down.set(static_cast<std::size_t>(TimelineKey::kPanRight));
  frame(held);
  const Timestamp once = state.view.begin;
  frame(held);
  EXPECT_GT(state.view.begin, once);
}

TEST_F(InteractionTest, DraggingPansBothWays) {
  size.height_px = 100;
  press(500, 80);
  move(400, 50);
  expect_near(state.view, range(100_us, 1100_us));
  EXPECT_DOUBLE_EQ(state.scroll_y_px, 30);
  release(400, 50);
  EXPECT_FALSE(state.follow);
  EXPECT_EQ(state.selected, std::nullopt);
  move(300, 20);  // the button is not pressed any more
  expect_near(state.view, range(100_us, 1100_us));
}

TEST_F(InteractionTest, ADragThatComesBackLeavesTheViewAsItWas) {
  press(500, 80);
  move(700, 80);
  move(500, 80);
  release(500, 80);
  EXPECT_EQ(state.view, range(0_us, 1000_us));
}

TEST_F(InteractionTest, AHandThatTremblesStillClicks) {
  const float y = y_of(kTracks.compute, 0);
  press(200, y);
  move(202, y + 1);
  release(202, y + 1);
  EXPECT_EQ(state.selected, (SliceRef{kTracks.compute, 0, 0}));
  EXPECT_EQ(state.view, range(0_us, 1000_us));
  EXPECT_TRUE(state.follow);
}

TEST_F(InteractionTest, AClickSelectsAndOneOnNothingClears) {
  click(200, y_of(kTracks.compute, 0));
  EXPECT_EQ(state.selected, (SliceRef{kTracks.compute, 0, 0}));
  click(900, y_of(kTracks.compute, 0));
  EXPECT_EQ(state.selected, std::nullopt);
}

TEST_F(InteractionTest, ADoubleClickZoomsToTheSlice) {
  frame({.x_px = 200,
         .y_px = y_of(kTracks.compute, 0),
         .over = true,
         .pressed = true,
         .down = true,
         .double_clicked = true});
  expect_near(state.view, range(70_us, 430_us));
  EXPECT_EQ(state.selected, (SliceRef{kTracks.compute, 0, 0}));
}

TEST_F(InteractionTest, FFitsTheSelectionElseTheRange) {
  state.range = range(200_us, 300_us);
  key(TimelineKey::kFitSelection);
  expect_near(state.view, range(190_us, 310_us));
  state.selected = SliceRef{kTracks.copy_out, 0, 0};
  key(TimelineKey::kFitSelection);
  expect_near(state.view, range(380_us, 620_us));
  EXPECT_FALSE(state.follow);
}

TEST_F(InteractionTest, HomeShowsAll) {
  state.view = range(400_us, 410_us);
  key(TimelineKey::kShowAll);
  EXPECT_LE(state.view.begin, at(0_us));
  EXPECT_GE(state.view.end, at(1000_us));
}

TEST_F(InteractionTest, MMarksTheSelectedSliceAsARange) {
  state.selected = SliceRef{kTracks.copy_out, 0, 0};
  key(TimelineKey::kMarkRange);
  EXPECT_EQ(state.range, range(400_us, 600_us));
  state.selected.reset();
  key(TimelineKey::kMarkRange);
  EXPECT_EQ(state.range, std::nullopt);
}

TEST_F(InteractionTest, MWithoutASelectionMeasuresTheView) {
  state.view = range(200_us, 300_us);
  key(TimelineKey::kMarkRange);
  EXPECT_EQ(state.range, range(200_us, 300_us));
  key(TimelineKey::kMarkRange);
  EXPECT_EQ(state.range, std::nullopt) << "a second M removes the range";
}

TEST_F(InteractionTest, MMeasuresOnlyThePartOfTheViewThatHasData) {
  state.view = range(-500_us, 2000_us);
  key(TimelineKey::kMarkRange);
  EXPECT_EQ(state.range, trace.extent());
}

TEST_F(InteractionTest, ADragOnTheRulerMeasuresARange) {
  drag(200, -5, 450, -5);
  EXPECT_EQ(state.range, range(200_us, 450_us));
  EXPECT_EQ(state.view, range(0_us, 1000_us));
  EXPECT_TRUE(state.follow);
  click(600, -5);
  EXPECT_EQ(state.range, std::nullopt);
}

TEST_F(InteractionTest, ADoubleClickOnAPartOfTheRunMeasuresItAndZoomsToIt) {
  state.parts = {{"preparation", range(0_us, 300_us)}, {"compiled", range(300_us, 700_us)}};
  click_part(500);
  frame({.x_px = 500,
         .y_px = -5,
         .parts_px = 18,
         .over = true,
         .pressed = true,
         .down = true,
         .double_clicked = true});
  EXPECT_EQ(state.range, range(300_us, 700_us));
  expect_near(state.view, range(260_us, 740_us));
}

TEST_F(InteractionTest, AClickOnAPartOfTheRunMeasuresItAndASecondClickStops) {
  state.parts = {{"preparation", range(0_us, 300_us)}, {"compiled", range(300_us, 700_us)}};
  click_part(500);
  EXPECT_EQ(state.range, range(300_us, 700_us));
  click_part(100);
  EXPECT_EQ(state.range, range(0_us, 300_us));
  click_part(100);
  EXPECT_EQ(state.range, std::nullopt);
  click_part(500);
  click_part(800);
  EXPECT_EQ(state.range, std::nullopt) << "there is no part at this place";
  click(500, -30);
  EXPECT_EQ(state.range, std::nullopt) << "above the line of parts";
}

TEST_F(InteractionTest, ShiftAndADragMeasuresARangeInEitherDirection) {
  drag(450, 50, 200, 90, true);
  EXPECT_EQ(state.range, range(200_us, 450_us));
}

TEST_F(InteractionTest, ARangeEndsAtThePlotsEdge) {
  drag(450, 50, 1500, 50, true);
  EXPECT_EQ(state.range, range(450_us, 1000_us));
}

TEST_F(InteractionTest, EscapeClearsSelectionAndRange) {
  state.selected = SliceRef{kTracks.copy_out, 0, 0};
  state.range = range(1_us, 2_us);
  key(TimelineKey::kClear);
  EXPECT_EQ(state.selected, std::nullopt);
  EXPECT_EQ(state.range, std::nullopt);
}

TEST_F(InteractionTest, CtrlAndADragSelectsTheRowsAndTheTimesThatItCrosses) {
  state.selected = SliceRef{kTracks.copy_out, 0, 0};
  state.range = range(1_us, 2_us);
  // From the second lane of main to compute, upwards and to the left.
  drag_with_ctrl(600, y_of(kTracks.compute, 0), 200, y_of(kTracks.main, 1));
  ASSERT_TRUE(state.area);
  expect_near(state.area->content.range, range(200_us, 600_us));
  const auto& lanes = state.area->content.lanes;
  EXPECT_NE(std::ranges::find(lanes, analysis::AreaLane{kTracks.main, 1}), lanes.end());
  EXPECT_NE(std::ranges::find(lanes, analysis::AreaLane{kTracks.compute, 0}), lanes.end());
  EXPECT_EQ(std::ranges::find(lanes, analysis::AreaLane{kTracks.main, 0}), lanes.end());
  EXPECT_EQ(std::ranges::find(lanes, analysis::AreaLane{kTracks.copy_out, 0}), lanes.end());
  EXPECT_EQ(state.selected, std::nullopt);
  EXPECT_EQ(state.range, std::nullopt);
  EXPECT_EQ(state.view, range(0_us, 1000_us));
}

TEST_F(InteractionTest, ADragBelowTheLastRowSelectsUpToTheLastRow) {
  size.height_px = 2000;
  drag_with_ctrl(100, y_of(kTracks.live_bytes, 0), 400, 1900);
  ASSERT_TRUE(state.area);
  EXPECT_EQ(state.area->content.counters, std::vector{kTracks.live_bytes});
  EXPECT_TRUE(state.area->content.lanes.empty());
}

TEST_F(InteractionTest, AnAreaGoesOnWhileTheWheelScrollsItsFirstRowOutOfView) {
  size.height_px = 120;
  press_with_ctrl(100, y_of(kTracks.main, 0));
  move(150, 60);
  state.scroll_y_px = 150;
  const float y = y_of(kTracks.compute, 0);
  move(300, y);
  release(300, y);
  ASSERT_TRUE(state.area);
  const auto& lanes = state.area->content.lanes;
  EXPECT_NE(std::ranges::find(lanes, analysis::AreaLane{kTracks.main, 0}), lanes.end());
  EXPECT_NE(std::ranges::find(lanes, analysis::AreaLane{kTracks.compute, 0}), lanes.end());
}

TEST_F(InteractionTest, CtrlAndAClickSelectsASlice) {
  press_with_ctrl(500, y_of(kTracks.copy_out, 0));
  release(500, y_of(kTracks.copy_out, 0));
  EXPECT_EQ(state.area, std::nullopt);
  EXPECT_EQ(state.selected, (SliceRef{kTracks.copy_out, 0, 0}));
}

TEST_F(InteractionTest, EscapeClearsAnAreaAndFFitsItAndMMeasuresIt) {
  drag_with_ctrl(400, y_of(kTracks.main, 0), 600, y_of(kTracks.main, 1));
  key(TimelineKey::kFitSelection);
  expect_near(state.view, range(380_us, 620_us));
  key(TimelineKey::kMarkRange);
  ASSERT_TRUE(state.range);
  expect_near(*state.range, range(400_us, 600_us));
  EXPECT_EQ(state.area, std::nullopt);
  drag_with_ctrl(400, y_of(kTracks.main, 0), 600, y_of(kTracks.main, 1));
  ASSERT_TRUE(state.area);
  key(TimelineKey::kClear);
  EXPECT_EQ(state.area, std::nullopt);
}

TEST_F(InteractionTest, PeriodAndCommaStepAlongTheTrack) {
  state.selected = SliceRef{kTracks.main, 1, 1};
  key(TimelineKey::kNextSlice);
  EXPECT_EQ(state.selected, (SliceRef{kTracks.main, 1, 2}));
  key(TimelineKey::kPreviousSlice);
  key(TimelineKey::kPreviousSlice);
  EXPECT_EQ(state.selected, (SliceRef{kTracks.main, 1, 0}));
  key(TimelineKey::kPreviousSlice);
  EXPECT_EQ(state.selected, (SliceRef{kTracks.main, 1, 0}));
}

TEST_F(InteractionTest, SteppingReachesTheSliceThatIsStillOpen) {
  state.selected = SliceRef{kTracks.main, 0, 0};
  key(TimelineKey::kNextSlice);
  EXPECT_EQ(state.selected, (SliceRef{kTracks.main, 0, 700'000, true}));
  key(TimelineKey::kNextSlice);
  EXPECT_EQ(state.selected, (SliceRef{kTracks.main, 0, 700'000, true}));
  key(TimelineKey::kPreviousSlice);
  EXPECT_EQ(state.selected, (SliceRef{kTracks.main, 0, 0}));
}

TEST_F(InteractionTest, SteppingOutOfSightBringsTheSliceIntoView) {
  state.view = range(0_us, 100_us);
  size.height_px = 60;
  state.selected = SliceRef{kTracks.compute, 0, 0};
  key(TimelineKey::kNextSlice);
  EXPECT_TRUE(state.view.contains(at(600_us)) && state.view.contains(at(649_us)));
  EXPECT_EQ(state.view.duration(), 100_us);
  scene = scene_of(trace, state, size);
  EXPECT_TRUE(std::any_of(scene.rows.begin(), scene.rows.end(), [](const SceneRow& row) {
    return row.track == kTracks.compute && row.y_px >= 0 && row.y_px + row.height_px <= 60;
  }));
}

TEST_F(InteractionTest, BracketsFollowTheFlowsOfAnOp) {
  state.selected = SliceRef{kTracks.main, 1, 1};  // this slice is the enqueue of the copy
  key(TimelineKey::kNextFlow);
  EXPECT_EQ(state.selected, (SliceRef{kTracks.copy_out, 0, 0}));
  key(TimelineKey::kNextFlow);
  EXPECT_EQ(state.selected, (SliceRef{kTracks.main, 1, 3}));  // the wait that the copy released
  key(TimelineKey::kPreviousFlow);
  key(TimelineKey::kPreviousFlow);
  EXPECT_EQ(state.selected, (SliceRef{kTracks.main, 1, 1}));
}

TEST_F(InteractionTest, WithoutFlowsBracketsGoThroughTheSlicesOfTheOp) {
  state.selected = SliceRef{kTracks.main, 1, 2};  // this slice is the enqueue of relu, which has no arrows
  key(TimelineKey::kNextFlow);
  EXPECT_EQ(state.selected, (SliceRef{kTracks.compute, 0, 1}));
}

TEST_F(InteractionTest, AClickOnANameFoldsAndUnfolds) {
  click(-50, y_of(kTracks.device_group, 0));
  EXPECT_EQ(state.collapsed, (std::vector<TrackId>{kTracks.device_group}));
  click(-50, y_of(kTracks.device_group, 0));
  EXPECT_TRUE(state.collapsed.empty());
  click(-50, y_of(kTracks.main, 0));
  EXPECT_EQ(state.collapsed, (std::vector<TrackId>{kTracks.main}));
}

TEST_F(InteractionTest, TheArrowKeysUpAndDownScrollTheTracks) {
  size.height_px = 100;
  scene = scene_of(trace, state, size);
  key(TimelineKey::kScrollDown);
  EXPECT_GT(state.scroll_y_px, 0);
  const double once = state.scroll_y_px;
  key(TimelineKey::kScrollDown);
  EXPECT_GT(state.scroll_y_px, once);
  for (int i = 0; i < 20; ++i) key(TimelineKey::kScrollUp);
  EXPECT_EQ(state.scroll_y_px, 0);
}

TEST_F(InteractionTest, AClickOnMoreShowsAndHidesTheOtherTracksOfTheGroup) {
  const auto click_more = [&] {
    scene = scene_of(trace, state, size);
    for (const SceneRow& row : scene.rows) {
      if (row.kind == SceneRow::Kind::kMore) return click(-50, row.y_px + row.height_px / 2);
    }
    FAIL() << "there is no such row";
  };
  click_more();
  EXPECT_EQ(state.more_shown, (std::vector<TrackId>{kTracks.queue_group}));
  click_more();
  EXPECT_TRUE(state.more_shown.empty());
}

TEST_F(InteractionTest, AClickOnAQueuesNameShowsItsOpLives) {
  state.more_shown = {kTracks.queue_group};
  click(-50, y_of(kTracks.op_lives, 0));
  EXPECT_EQ(state.expanded_queues, (std::vector<TrackId>{kTracks.op_lives}));
  click(-50, y_of(kTracks.op_lives, 0));
  EXPECT_TRUE(state.expanded_queues.empty());
}

TEST_F(InteractionTest, AClickOnTheNameOfATrackThatDoesNotFoldKeepsTheSelection) {
  state.selected = SliceRef{kTracks.compute, 0, 0};
  click(-50, y_of(kTracks.compute, 0));
  EXPECT_EQ(state.selected, (SliceRef{kTracks.compute, 0, 0}));
  EXPECT_TRUE(state.collapsed.empty());
}

TEST_F(InteractionTest, ANameIsDraggedToAnotherPlaceAndALineShowsWhere) {
  press(-50, y_of(kTracks.copy_out, 0));
  move(-50, y_of(kTracks.compute, 0) - 2);
  ASSERT_EQ(gesture.kind, TimelineGesture::Kind::kMoving);
  ASSERT_TRUE(gesture.landing);
  EXPECT_FLOAT_EQ(gesture.landing->y_px, y_of(kTracks.compute, 0) - kLaneHeightPx / 2);
  release(-50, y_of(kTracks.compute, 0) - 2);
  EXPECT_LT(y_of(kTracks.copy_out, 0), y_of(kTracks.compute, 0));
  EXPECT_FALSE(gesture.landing);
  EXPECT_EQ(state.view, range(0_us, 1000_us));
}

TEST_F(InteractionTest, AGroupDraggedByItsNameGoesBelowTheLastOne) {
  drag(-50, y_of(kTracks.frontend_group, 0), -50, 390);
  EXPECT_GT(y_of(kTracks.frontend_group, 0), y_of(kTracks.memory_group, 0));
  EXPECT_TRUE(state.collapsed.empty()) << "a drag is not a click";
}

TEST_F(InteractionTest, ANameDraggedBesideItselfStays) {
  drag(-50, y_of(kTracks.compute, 0), -50, y_of(kTracks.compute, 0) + 9);
  EXPECT_TRUE(state.order.empty());
  drag(-50, y_of(kTracks.compute, 0), -50, 5);  // dropped above the group: the track stays in its group
  EXPECT_TRUE(state.order.empty());
}

TEST_F(InteractionTest, APinnedNameMovesAmongThePinnedOnesWhileTheOthersAreScrolled) {
  size.height_px = 150;
  apply_timeline(PinTrack{kTracks.compute}, trace, state);
  apply_timeline(PinTrack{kTracks.copy_out}, trace, state);
  state.scroll_y_px = 70;
  drag(-50, y_of(kTracks.copy_out, 0), -50, 2);
  EXPECT_EQ(state.pinned, (std::vector<TrackId>{kTracks.copy_out, kTracks.compute}));
}

TEST_F(InteractionTest, ASliceOnAHiddenTrackIsShownWithItsTrack) {
  size.height_px = 80;
  state.hidden = {kTracks.device_group};
  state.to_show = SliceRef{kTracks.copy_out, 0, 0};
  frame({});
  EXPECT_TRUE(state.hidden.empty());
  const float y = y_of(kTracks.copy_out, 0);
  EXPECT_TRUE(0 < y && y < size.height_px) << "the slice is not on the screen: " << y;
}

TEST_F(InteractionTest, BringingIntoViewStopsBelowThePinnedRows) {
  size.height_px = 150;
  apply_timeline(PinTrack{kTracks.copy_out}, trace, state);
  state.scroll_y_px = 100;
  state.to_show = SliceRef{kTracks.main, 0, 0};
  frame({});
  scene = scene_of(trace, state, size);
  const auto main = std::find_if(scene.rows.begin(), scene.rows.end(),
                                 [](const SceneRow& row) { return row.track == kTracks.main; });
  ASSERT_NE(main, scene.rows.end());
  EXPECT_GE(main->y_px, scene.held_px);
  EXPECT_LE(main->y_px + main->height_px, size.height_px);
}

TEST_F(InteractionTest, HoveringTellsTheSliceUnderThePointerOnce) {
  const float y = y_of(kTracks.copy_out, 0);
  const TimelineCommands first = frame({.x_px = 500, .y_px = y, .over = true});
  EXPECT_EQ(first, (TimelineCommands{HoverSlice{SliceRef{kTracks.copy_out, 0, 0}}}));
  EXPECT_TRUE(frame({.x_px = 501, .y_px = y, .over = true}).empty());
  EXPECT_EQ(frame({.x_px = 501, .y_px = y, .over = false}), (TimelineCommands{HoverSlice{}}));
}

TEST_F(InteractionTest, AMouseThatIsElsewhereDoesNothing) {
  frame({.x_px = 200, .y_px = 50, .over = false, .pressed = true, .down = true, .wheel = 3});
  frame({.x_px = 400, .y_px = 50, .over = false, .down = true});
  EXPECT_EQ(state.view, range(0_us, 1000_us));
  EXPECT_TRUE(state.follow);
}

TEST_F(InteractionTest, TwoQuickClicksOnANameFoldAndUnfold) {
  const float y = y_of(kTracks.device_group, 0);
  click(-60, y);
  EXPECT_EQ(state.collapsed, std::vector{kTracks.device_group});
  frame({.x_px = -60, .y_px = y, .over = true, .pressed = true, .down = true, .double_clicked = true});
  release(-60, y);
  EXPECT_EQ(state.collapsed, std::vector<TrackId>{});
}

TEST_F(InteractionTest, FoldingDoesNotLeaveTheContentScrolledAway) {
  size.height_px = 60;
  state.scroll_y_px = 200;
  for (const TrackId group :
       {kTracks.frontend_group, kTracks.queue_group, kTracks.device_group, kTracks.memory_group}) {
    apply_timeline(ToggleFold{group}, trace, state);
  }
  frame({});
  scene = scene_of(trace, state, size);
  EXPECT_DOUBLE_EQ(state.scroll_y_px, scene.content_height_px - 60);
}

TEST(SliceAt, FindsThePreciseSliceWithinAFoldedRun) {
  const trace::Trace trace = dense_run(100'000);
  const Scene scene = scene_of(trace, {.view = range(0_us, 200'000_us)}, {1000, 100, 1});
  const auto ref = slice_at(trace, scene, 500, 10);
  ASSERT_TRUE(ref);
  EXPECT_NEAR(static_cast<double>(ref->row), 50'000, 101);
}

TEST(SliceAt, TellsTheStripsOfAFoldedGroupApart) {
  const trace::Trace trace = sample_run();
  TimelineState state{.view = range(0_us, 1000_us)};
  state.collapsed = {kTracks.device_group, kTracks.frontend_group, kTracks.queue_group};
  const Scene scene = scene_of(trace, state, {1000, 400, 1});
  const SceneRow& header = scene.rows.at(2);
  ASSERT_EQ(header.label, "virtual:0");
  EXPECT_EQ(slice_at(trace, scene, 390, header.y_px + 5), (SliceRef{kTracks.compute, 0, 0}));
  EXPECT_EQ(slice_at(trace, scene, 410, header.y_px + 17), (SliceRef{kTracks.copy_out, 0, 0}));
  EXPECT_EQ(slice_at(trace, scene, 390, header.y_px + 17), std::nullopt);
}

TEST(SliceAt, HitsASliceOfAPixelFromBeside) {
  const trace::Trace trace =
      TraceBuilder{}.track("main").slice("spark", 500_us, 1_ns).watermark(1000_us).build();
  const Scene scene = scene_of(trace, {.view = range(0_us, 1000_us)}, {1000, 100, 1});
  EXPECT_TRUE(slice_at(trace, scene, 501.5f, 10));
  EXPECT_FALSE(slice_at(trace, scene, 506, 10));
  EXPECT_FALSE(slice_at(trace, scene, 500, 90));
}

TEST(AdvanceTimeline, ShowsTheNewestEightSecondsFirst) {
  TimelineState state;
  advance_timeline(TraceBuilder{}.track("t").slice("s", 0_s, 20_s).build(), state);
  EXPECT_EQ(state.view, range(12_s, 20_s));
}

TEST(AdvanceTimeline, ShowsAllOfACaptureThatIsNotLive) {
  TimelineState state{.follow = false};
  advance_timeline(TraceBuilder{}.track("t").slice("s", 0_s, 5_s).build(), state);
  EXPECT_LE(state.view.begin, at(0_s));
  EXPECT_GE(state.view.end, at(5_s));
}

TEST(AdvanceTimeline, FollowsTheNewestAndKeepsTheLength) {
  TimelineState state{.view = range(0_us, 200_us)};
  advance_timeline(sample_run(), state);
  EXPECT_EQ(state.view, range(800_us, 1000_us));
  state.follow = false;
  state.view = range(100_us, 200_us);
  advance_timeline(sample_run(), state);
  EXPECT_EQ(state.view, range(100_us, 200_us));
}

TEST(AdvanceTimeline, KeepsASelectionWhenItsOpenSliceEnds) {
  TimelineState state{.view = range(0_us, 100_us)};
  state.selected = SliceRef{TrackId{0}, 0, 20'000, true};
  TraceBuilder running;
  running.track("t").slice("a", 0_us, 10_us).open_slice("b", 20_us).watermark(30_us);
  advance_timeline(running.build(), state);
  EXPECT_EQ(state.selected, (SliceRef{TrackId{0}, 0, 20'000, true}));
  TraceBuilder ended;
  ended.track("t").slice("a", 0_us, 10_us).slice("b", 20_us, 15_us);
  advance_timeline(ended.build(), state);
  EXPECT_EQ(state.selected, (SliceRef{TrackId{0}, 0, 1, false}));
}

TEST(AdvanceTimeline, ForgetsASelectionThatIsNotHereAnyMore) {
  TimelineState state{.view = range(0_us, 100_us)};
  state.selected = SliceRef{TrackId{0}, 0, 7};
  advance_timeline(TraceBuilder{}.track("t").slice("a", 0_us, 10_us).build(), state);
  EXPECT_EQ(state.selected, std::nullopt);
}

TEST(ApplyTimeline, FollowLiveResumesFollowing) {
  TimelineState state{.view = range(0_us, 100_us), .follow = false};
  apply_timeline(FollowLive{}, sample_run(), state);
  EXPECT_TRUE(state.follow);
}

TEST_F(InteractionTest, ASliceThatIsToBeShownComesIntoViewWithItsRow) {
  size.height_px = 60;  // so small that the row of `last` is below the visible rows
  state.view = range(900_us, 1000_us);
  const SliceRef last{kTracks.compute, 0, 0};
  const trace::Slice slice = trace.track(last.track).lanes[0].slice(0);
  apply_timeline(ShowSlice{last}, trace, state);
  EXPECT_EQ(state.selected, last);
  frame({});
  EXPECT_LE(state.view.begin, slice.begin);
  EXPECT_GT(state.view.end, slice.begin);
  const double y = y_of(last.track, 0);
  EXPECT_GE(y, 0);
  EXPECT_LE(y, size.height_px);
  EXPECT_TRUE(frame({}).empty()) << "once";
}

TEST_F(InteractionTest, ARowThatComesIntoViewHasRoomBetweenItAndTheEdge) {
  size.height_px = 120;
  const SliceRef last{kTracks.compute, 0, 0};
  apply_timeline(ShowSlice{last}, trace, state);
  frame({});
  scene = scene_of(trace, state, size);
  const auto row = std::ranges::find(scene.rows, last.track, &SceneRow::track);
  ASSERT_NE(row, scene.rows.end());
  ASSERT_GT(state.scroll_y_px, 0) << "it was below the visible rows";
  const double bottom = row->y_px + row->height_px;
  EXPECT_LT(bottom, size.height_px - 15);
  EXPECT_GT(bottom, 0);
}

TEST_F(InteractionTest, ASliceIsReadInAViewInWhichItTakesHalfOfTheWidth) {
  const trace::Slice slice{.begin = at(500_us), .end = at(510_us)};
  state.view = range(0_us, 1000_us);
  scene = scene_of(trace, state, size);
  const auto view = view_to_read(slice, scene, state);
  ASSERT_TRUE(view) << "10 px of 1000 are narrow";
  EXPECT_EQ(*view, range(494_us, 516_us));
  state.view = range(450_us, 550_us);
  EXPECT_FALSE(view_to_read(slice, scene, state)) << "100 px";
  state.view = range(503_us, 505_us);
  EXPECT_EQ(view_to_read(slice, scene, state), view) << "it is wider than the view";
}

TEST_F(InteractionTest, AClickOnACounterOfBytesPinsItsMomentWhereThatIsAskedFor) {
  const float y = y_of(kTracks.live_bytes, 0);
  click(300, y);
  EXPECT_EQ(state.pinned_time, std::nullopt) << "nobody asks";
  state.asks_for_time = true;
  click(300, y);
  ASSERT_TRUE(state.pinned_time);
  EXPECT_NEAR(static_cast<double>(ns_from(*state.pinned_time)), 300'000, 2);
  click(300, y_of(kTracks.run_ahead, 0));
  EXPECT_NEAR(static_cast<double>(ns_from(*state.pinned_time)), 300'000, 2)
      << "a counter of ops is not a counter of bytes";
}

TEST_F(InteractionTest, ATrackThatIsToBeRevealedIsScrolledToOnce) {
  size.height_px = 80;
  apply_timeline(RevealTrack{kTracks.live_bytes}, trace, state);
  frame({});
  const float y = y_of(kTracks.live_bytes, 0);
  EXPECT_GE(y, 0);
  EXPECT_LE(y, size.height_px);
  EXPECT_TRUE(frame({}).empty()) << "once";
}

TEST(ApplyTimeline, RefusesASliceThatIsNotHere) {
  TimelineState state;
  apply_timeline(SelectSlice{{kTracks.main, 5, 5}}, sample_run(), state);
  EXPECT_EQ(state.selected, std::nullopt);
  apply_timeline(ShowSlice{{kTracks.main, 5, 5}}, sample_run(), state);
  EXPECT_EQ(state.selected, std::nullopt);
  EXPECT_EQ(state.to_show, std::nullopt);
}

}  // namespace
}  // namespace runahead::gui
