#include "gui/timeline/scene/arrow_curve.h"

#include <algorithm>
#include <cmath>

namespace runahead::gui {
namespace {

// How many straight lines replace the curve in runs_through().
constexpr int kCurveLines = 24;

PointPx point_at(const ArrowCurve& curve, float share) {
  const float rest = 1 - share;
  const std::array<float, 4> weights{rest * rest * rest, 3 * rest * rest * share, 3 * rest * share * share,
                                     share * share * share};
  PointPx at;
  for (std::size_t i = 0; i < curve.size(); ++i) {
    at.x += weights[i] * curve[i].x;
    at.y += weights[i] * curve[i].y;
  }
  return at;
}

// Keeps the part of the range [from, to] of a line in which low <= a + t * (b - a) <= high. Returns false if
// no part is left.
bool keep_between(float a, float b, float low, float high, float& from, float& to) {
  const float step = b - a;
  if (step == 0) return low <= a && a <= high;
  const float first = (low - a) / step, second = (high - a) / step;
  from = std::max(from, std::min(first, second));
  to = std::min(to, std::max(first, second));
  return from <= to;
}

bool line_runs_through(PointPx a, PointPx b, const RectPx& rect) {
  float from = 0, to = 1;
  return keep_between(a.x, b.x, rect.min.x, rect.max.x, from, to) &&
         keep_between(a.y, b.y, rect.min.y, rect.max.y, from, to);
}

}  // namespace

ArrowCurve curve_of(const SceneArrow& arrow, float scale) {
  const float bend = std::clamp(std::abs(arrow.x1_px - arrow.x0_px) * 0.4f, 16 * scale, 160 * scale);
  return {PointPx{arrow.x0_px, arrow.y0_px}, PointPx{arrow.x0_px + bend, arrow.y0_px},
          PointPx{arrow.x1_px - bend, arrow.y1_px}, PointPx{arrow.x1_px, arrow.y1_px}};
}

bool runs_through(const ArrowCurve& curve, const RectPx& rect) {
  // The curve stays within the bounds of its four points.
  const auto [left, right] = std::ranges::minmax(curve, {}, &PointPx::x);
  const auto [top, bottom] = std::ranges::minmax(curve, {}, &PointPx::y);
  if (right.x < rect.min.x || left.x > rect.max.x || bottom.y < rect.min.y || top.y > rect.max.y)
    return false;
  PointPx before = curve.front();
  for (int i = 1; i <= kCurveLines; ++i) {
    const PointPx at = point_at(curve, static_cast<float>(i) / kCurveLines);
    if (line_runs_through(before, at, rect)) return true;
    before = at;
  }
  return false;
}

}  // namespace runahead::gui
