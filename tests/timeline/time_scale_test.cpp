#include "gui/timeline/scene/time_scale.h"

#include <gtest/gtest.h>

#include "tests/support/random.h"
#include "tests/timeline/sample_run.h"

namespace runahead::gui {
namespace {

using namespace testing;

TEST(TimeScale, MapsTheViewsEndsToThePlotsEdges) {
  const TimeScale scale{range(100_us, 300_us), 800};
  EXPECT_DOUBLE_EQ(scale.x_from_time(at(100_us)), 0);
  EXPECT_DOUBLE_EQ(scale.x_from_time(at(300_us)), 800);
  EXPECT_EQ(scale.time_from_x(400), at(200_us));
}

TEST(TimeScale, ComesBackToTheSameTimeAnHourIntoACaptureAtNanosecondZoom) {
  const Timestamp hour = timestamp_from_ns(3'600'000'000'000);
  const TimeScale scale{{hour, hour + Duration{100}}, 1920};
  for (std::int64_t ns = 0; ns < 100; ++ns) {
    const Timestamp t = hour + Duration{ns};
    EXPECT_EQ(scale.time_from_x(scale.x_from_time(t)), t);
  }
}

TEST(TimeScale, StaysDefinedFarOutsideTheView) {
  const TimeScale scale{{timestamp_from_ns(0), timestamp_from_ns(100)}, 1000};
  EXPECT_LT(scale.time_from_x(-1e30), timestamp_from_ns(0));
  EXPECT_GT(scale.time_from_x(1e30), timestamp_from_ns(100));
}

TEST(ZoomAt, KeepsTheTimeUnderThePointer) {
  Random random;
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t begin = random.integer(0, 1'000'000'000);
    const std::int64_t length = random.integer(10'000, 1'000'000'000);
    const TimeScale scale{{timestamp_from_ns(begin), timestamp_from_ns(begin + length)}, 1000};
    const double x = random.real(0, 1000);
    const double factor = random.real(0.5, 2.5);
    const TimeScale zoomed{zoom_at(scale, x, factor), 1000};
    const double moved_ns = static_cast<double>(ns_from(zoomed.time_from_x(x) - scale.time_from_x(x)));
    EXPECT_NEAR(moved_ns, 0, 3) << "begin " << begin << " length " << length << " x " << x << " factor "
                                << factor;
  }
}

TEST(ZoomAt, StopsAtAHundredNanosecondsAcross) {
  TimeScale scale{range(0_us, 1000_us), 1000};
  for (int i = 0; i < 100; ++i) scale.view = zoom_at(scale, 500, 0.5);
  EXPECT_EQ(scale.view.duration(), kShortestView);
  const TimeRange before = scale.view;
  EXPECT_EQ(zoom_at(scale, 500, 0.5), before);
}

TEST(ZoomAt, StopsAtTheLongestView) {
  TimeScale scale{range(0_us, 1000_us), 1000};
  for (int i = 0; i < 100; ++i) scale.view = zoom_at(scale, 500, 2);
  EXPECT_EQ(scale.view.duration(), kLongestView);
}

TEST(PanBy, MovesTheViewAndKeepsItsLength) {
  const TimeScale scale{range(100_us, 300_us), 100};
  EXPECT_EQ(pan_by(scale, 50), range(200_us, 400_us));
  EXPECT_EQ(pan_by(scale, -25), range(50_us, 250_us));
}

TEST(Fit, LeavesAMarginAtBothEnds) { EXPECT_EQ(fit(range(100_us, 200_us), 0.1), range(90_us, 210_us)); }

TEST(Fit, GivesAnInstantTheShortestView) {
  const TimeRange view = fit(range(100_us, 100_us));
  EXPECT_EQ(view.duration(), kShortestView);
  EXPECT_TRUE(view.contains(at(100_us)));
}

TEST(ClampView, KeepsATenthOfTheViewOverTheCapture) {
  EXPECT_EQ(clamp_view(range(5000_us, 5100_us), range(0_us, 1000_us)), range(990_us, 1090_us));
  EXPECT_EQ(clamp_view(range(-5100_us, -5000_us), range(0_us, 1000_us)), range(-90_us, 10_us));
  EXPECT_EQ(clamp_view(range(200_us, 300_us), range(0_us, 1000_us)), range(200_us, 300_us));
}

TEST(TickStep, IsOneTwoOrFiveTimesAPowerOfTen) {
  const auto step = [](std::int64_t view_ns) {
    return ns_from(tick_step({{timestamp_from_ns(0), timestamp_from_ns(view_ns)}, 1000}, 100));
  };
  EXPECT_EQ(step(100), 10);
  EXPECT_EQ(step(190), 20);
  EXPECT_EQ(step(1'500), 200);
  EXPECT_EQ(step(1'000'000'000), 100'000'000);
  EXPECT_EQ(step(100'000'000'000), 10'000'000'000);
  EXPECT_EQ(step(150'000'000'000), 30'000'000'000);
  EXPECT_EQ(step(600'000'000'000), 60'000'000'000);
}

TEST(BuildTicks, LabelsDoNotOverlapAtAnyZoom) {
  for (double view_ns = 100; view_ns < 1e14; view_ns *= 1.7) {
    const TimeScale scale{{timestamp_from_ns(12'345'678'901),
                           timestamp_from_ns(12'345'678'901 + static_cast<std::int64_t>(view_ns))},
                          1920};
    std::vector<SceneTick> ticks;
    build_ticks(scale, 1, ticks);
    ASSERT_FALSE(ticks.empty());
    const TextAdvance advance = TextAdvance::average(1);
    const SceneTick* before = nullptr;
    for (const SceneTick& tick : ticks) {
      EXPECT_GE(tick.x_px, 0);
      EXPECT_LT(tick.x_px, 1920);
      if (!tick.major) continue;
      if (before != nullptr) {
        EXPECT_NE(tick.label, before->label) << view_ns;
        EXPECT_GT(tick.x_px - before->x_px, advance.width_px(before->label))
            << before->label << " at " << view_ns;
      }
      before = &tick;
    }
  }
}

}  // namespace
}  // namespace runahead::gui
