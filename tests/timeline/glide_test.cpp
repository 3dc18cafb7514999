#include "gui/timeline/glide.h"

#include <gtest/gtest.h>

#include "gui/timeline/interaction.h"
#include "gui/timeline/scene/time_scale.h"
#include "gui/timeline/timeline_commands.h"
#include "tests/timeline/sample_run.h"

namespace runahead::gui {
namespace {

using namespace testing;
using namespace std::chrono_literals;

TimelineState moving(TimeRange view) { return {.view = view, .follow = false, .motion = kGlideLength}; }

TEST(Glide, ReachesItsTargetExactlyWhenItsTimeIsOver) {
  TimelineState state = moving(range(0_us, 1000_us));
  glide_to(range(300_us, 400_us), state);
  EXPECT_EQ(state.view, range(0_us, 1000_us)) << "it has just begun";
  Duration before = state.view.duration();
  for (int i = 0; i < 14; ++i) {
    advance_glide(10ms, state);
    EXPECT_LT(state.view.duration(), before);
    before = state.view.duration();
    ASSERT_TRUE(state.glide);
  }
  advance_glide(10ms, state);
  EXPECT_EQ(state.view, range(300_us, 400_us));
  EXPECT_FALSE(state.glide) << "an idle window draws nothing";
}

TEST(Glide, DoesNotDependOnHowManyFramesThereAre) {
  TimelineState one = moving(range(0_us, 1000_us)), many = one;
  glide_to(range(300_us, 400_us), one);
  glide_to(range(300_us, 400_us), many);
  advance_glide(80ms, one);
  for (int i = 0; i < 16; ++i) advance_glide(5ms, many);
  EXPECT_EQ(one.view, many.view);
}

TEST(Glide, IsNoneWithoutMotion) {
  TimelineState state = moving(range(0_us, 1000_us));
  state.motion = Duration{0};
  glide_to(range(300_us, 400_us), state);
  EXPECT_EQ(state.view, range(300_us, 400_us));
  EXPECT_FALSE(state.glide);
}

TEST(Glide, IsTurnedToAnotherTargetOnTheWay) {
  TimelineState state = moving(range(0_us, 1000_us));
  glide_to(range(300_us, 400_us), state);
  advance_glide(50ms, state);
  const TimeRange here = state.view;
  glide_to(range(0_us, 1000_us), state);
  EXPECT_EQ(state.view, here) << "nothing jumps";
  advance_glide(kGlideLength, state);
  EXPECT_EQ(state.view, range(0_us, 1000_us));
}

TEST(Glide, GivesWayToWhateverElseMovesTheView) {
  TimelineState state = moving(range(0_us, 1000_us));
  glide_to(range(300_us, 400_us), state);
  advance_glide(50ms, state);
  state.view = range(5_us, 6_us);
  EXPECT_EQ(view_to_come(state), range(5_us, 6_us));
  advance_glide(50ms, state);
  EXPECT_EQ(state.view, range(5_us, 6_us));
  EXPECT_FALSE(state.glide);
  glide_to(range(300_us, 400_us), state);
  apply_timeline(ZoomTo{range(0_us, 100_us)}, sample_run(), state);
  EXPECT_FALSE(state.glide);
  EXPECT_EQ(state.view, range(0_us, 100_us));
}

TEST(Glide, PansBetweenViewsOfOneLength) {
  EXPECT_EQ(between_views(range(0_us, 100_us), range(400_us, 500_us), 0.5), range(200_us, 300_us));
  EXPECT_EQ(between_views(range(0_us, 100_us), range(400_us, 500_us), 0), range(0_us, 100_us));
  EXPECT_EQ(between_views(range(0_us, 100_us), range(400_us, 500_us), 1), range(400_us, 500_us));
}

// A user who turns the mouse wheel. The plot is 1000 px wide.
class GlidingWheel : public ::testing::Test {
 protected:
  void frame(TimelineInput input) {
    advance_glide(16ms, state);
    const Scene scene = scene_of(trace, state, {1000, 400, 1});
    TimelineCommands commands;
    interact(trace, scene, state, input, gesture, commands);
    for (const TimelineCommand& command : commands) apply_timeline(command, trace, state);
  }
  double x_of(Timestamp t) const { return TimeScale{state.view, 1000}.x_from_time(t); }

  trace::Trace trace = sample_run();
  TimelineState state = moving(range(0_us, 1000_us));
  TimelineGesture gesture;
};

TEST_F(GlidingWheel, TheTimeUnderThePointerStaysUnderItAllTheWay) {
  frame({.x_px = 250, .y_px = 50, .over = true, .wheel = 1});
  for (int i = 0; i < 20; ++i) {
    EXPECT_NEAR(x_of(at(250_us)), 250, 0.01);
    // the user turns the wheel again during the glide
    if (i == 4) frame({.x_px = 250, .y_px = 50, .over = true, .wheel = 2});
    frame({.x_px = 250, .y_px = 50, .over = true});
  }
  EXPECT_FALSE(state.glide);
  EXPECT_NEAR(static_cast<double>(ns_from(state.view.duration())), 1e6 / (1.25 * 1.25 * 1.25), 3)
      << "no notch is lost";
}

TEST_F(GlidingWheel, APointerThatHasMovedOnTheWayHoldsTheTimeThatIsUnderItNow) {
  frame({.x_px = 250, .y_px = 50, .over = true, .wheel = 1});
  frame({.x_px = 250, .y_px = 50, .over = true});
  frame({.x_px = 700, .y_px = 50, .over = true});
  const Timestamp under = TimeScale{state.view, 1000}.time_from_x(700);
  const TimeRange seen = state.view;
  TimelineState before = state;
  frame({.x_px = 700, .y_px = 50, .over = true, .wheel = 1});
  // A frame first advances the glide (the animation) of the earlier wheel turn, and then handles the new
  // wheel turn. Therefore the time that must stay under the pointer is the time under the pointer after this
  // advance.
  advance_glide(16ms, before);
  const Timestamp held = TimeScale{before.view, 1000}.time_from_x(700);
  for (int i = 0; i < 12; ++i) {
    EXPECT_NEAR(x_of(held), 700, 0.01);
    frame({.x_px = 700, .y_px = 50, .over = true});
  }
  EXPECT_NE(seen, state.view);
  EXPECT_GT(under, at(0_us));
}

TEST_F(GlidingWheel, APressOnThePlotStopsTheGlideWhereItIs) {
  frame({.x_px = 250, .y_px = 50, .over = true, .wheel = 3});
  frame({.x_px = 250, .y_px = 50, .over = true});
  const TimeRange pressed_at = [&] {
    TimelineState before = state;
    advance_glide(16ms, before);
    return before.view;
  }();
  frame({.x_px = 250, .y_px = 50, .over = true, .pressed = true, .down = true});
  frame({.x_px = 250, .y_px = 50, .over = true, .down = true});
  EXPECT_EQ(state.view, pressed_at);
  EXPECT_FALSE(state.glide);
}

TEST_F(GlidingWheel, HomeGlides) {
  state.view = range(400_us, 410_us);
  TimelineInput home{.over = true};
  home.keys_pressed.set(static_cast<std::size_t>(TimelineKey::kShowAll));
  frame(home);
  EXPECT_EQ(state.view, range(400_us, 410_us));
  ASSERT_TRUE(state.glide);
  EXPECT_LE(view_to_come(state).begin, at(0_us));
}

}  // namespace
}  // namespace runahead::gui
