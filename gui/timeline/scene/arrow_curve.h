// The curve of an arrow (SceneArrow), as a cubic Bezier curve. Pure.
#pragma once

#include <array>

#include "gui/timeline/scene/scene.h"

namespace runahead::gui {

struct PointPx {
  float x = 0, y = 0;
};
struct RectPx {
  PointPx min, max;
};

// The begin, the two control points and the end of the curve.
using ArrowCurve = std::array<PointPx, 4>;
// `scale`: the interface scale. The curve leaves its begin to the right, and enters its end from the left.
[[nodiscard]] ArrowCurve curve_of(const SceneArrow& arrow, float scale);

// True if the curve runs through `rect`. Exact to about a pixel for the curves of curve_of(). O(1).
[[nodiscard]] bool runs_through(const ArrowCurve& curve, const RectPx& rect);

}  // namespace runahead::gui
