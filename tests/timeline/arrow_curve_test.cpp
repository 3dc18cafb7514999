#include "gui/timeline/scene/arrow_curve.h"

#include <gtest/gtest.h>

namespace runahead::gui {
namespace {

SceneArrow arrow(PointPx from, PointPx to) {
  return {from.x, from.y, to.x, to.y, trace::FlowKind::kEnqueueToExecute};
}

bool crosses(const SceneArrow& one, const RectPx& rect) { return runs_through(curve_of(one, 1), rect); }

TEST(ArrowCurve, LeavesToTheRightAndEntersFromTheLeft) {
  const ArrowCurve curve = curve_of(arrow({100, 10}, {200, 90}), 1);
  EXPECT_FLOAT_EQ(curve[0].x, 100);
  EXPECT_FLOAT_EQ(curve[1].x, 140);
  EXPECT_FLOAT_EQ(curve[1].y, 10);
  EXPECT_FLOAT_EQ(curve[2].x, 160);
  EXPECT_FLOAT_EQ(curve[2].y, 90);
  EXPECT_FLOAT_EQ(curve_of(arrow({100, 10}, {101, 90}), 2)[1].x, 132) << "a short arrow bends, too";
}

TEST(ArrowCurve, RunsThroughWhatIsOnItsWay) {
  const SceneArrow one = arrow({100, 10}, {200, 90});
  EXPECT_TRUE(crosses(one, {{95, 5}, {105, 15}})) << "its begin";
  EXPECT_TRUE(crosses(one, {{195, 85}, {205, 95}})) << "its end";
  EXPECT_TRUE(crosses(one, {{149, 49}, {151, 51}})) << "its middle";
  EXPECT_TRUE(crosses(one, {{0, 40}, {400, 42}})) << "a name that is wider than the arrow";
  EXPECT_FALSE(crosses(one, {{100, 70}, {120, 80}})) << "within its bounds, but beside the curve";
  EXPECT_FALSE(crosses(one, {{210, 0}, {300, 100}}));
  EXPECT_FALSE(crosses(one, {{100, 100}, {200, 120}}));
}

TEST(ArrowCurve, OnOneRowIsALine) {
  const SceneArrow one = arrow({100, 10}, {300, 10});
  EXPECT_TRUE(crosses(one, {{150, 4}, {160, 16}}));
  EXPECT_FALSE(crosses(one, {{150, 11}, {160, 16}}));
}

}  // namespace
}  // namespace runahead::gui
