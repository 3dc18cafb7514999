#include <algorithm>

#include "gui/panels/strip/paint_parts.h"

namespace runahead::gui {

namespace {

// The minimum length of the time axis, as a number of points. If a curve has fewer points, they are at the
// right end of the axis, and the left part of the axis is empty.
constexpr std::int64_t kLeastPointsShown = 40;

struct CurvePlace {
  ImVec2 at, size;
  Timestamp end{};   // time at the right edge
  Duration shown{};  // time from the left to the right edge
  double top = 1;    // value at the upper edge

  [[nodiscard]] float x(Timestamp t) const {
    const double share = 1 - static_cast<double>(ns_from(end - t)) / static_cast<double>(ns_from(shown));
    return at.x + static_cast<float>(share) * size.x;
  }
  [[nodiscard]] float y(double value) const {
    return at.y + size.y * static_cast<float>(1 - std::clamp(value / top, 0.0, 1.0));
  }
};

void draw_points(const PanelUi& ui, const StripCurve& curve, const CurvePlace& place) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float bottom = place.at.y + place.size.y;
  std::optional<ImVec2> before;
  for (const analysis::CurvePoint& point : curve.facts.points) {
    const std::optional<double> value = curve.value(point);
    if (!value) {
      before.reset();
      continue;
    }
    const float left = place.x(point.begin), right = place.x(point.begin + analysis::RunCurves::kPoint);
    const float y = place.y(*value);
    draw.AddRectFilled(ImVec2(left, y), ImVec2(right, bottom), rgba(with_alpha(ui.theme.counter, 90)));
    if (before) draw.AddLine(*before, ImVec2(left, y), rgba(ui.theme.counter_line), ui.px(1.5f));
    draw.AddLine(ImVec2(left, y), ImVec2(right, y), rgba(ui.theme.counter_line), ui.px(1.5f));
    before = ImVec2(right, y);
  }
}

}  // namespace

void draw_curve(const PanelUi& ui, const StripCurve& curve, ImVec2 at, ImVec2 size) {
  if (curve.facts.points.empty() || size.x < ui.px(20) || size.y < ui.px(8)) return;
  const std::int64_t points =
      std::max(static_cast<std::int64_t>(curve.facts.points.size()), kLeastPointsShown);
  CurvePlace place{at, size, curve.facts.points.back().begin + analysis::RunCurves::kPoint,
                   analysis::RunCurves::kPoint * points, curve.top};
  if (place.top <= 0) {
    for (const analysis::CurvePoint& point : curve.facts.points)
      place.top = std::max(place.top, curve.value(point).value_or(0));
  }
  if (place.top <= 0) place.top = 1;
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float bottom = at.y + size.y;
  draw.AddLine(ImVec2(at.x, bottom), ImVec2(at.x + size.x, bottom), rgba(ui.theme.separator), ui.px(1));
  draw_points(ui, curve, place);
  for (const Timestamp change : curve.facts.changes) {
    const bool last = change == curve.facts.changes.back();
    const float x = place.x(change);
    draw.AddLine(ImVec2(x, at.y), ImVec2(x, bottom), rgba(with_alpha(ui.theme.marker, last ? 255 : 130)),
                 ui.px(last ? 2.0f : 1.0f));
  }
}

}  // namespace runahead::gui
