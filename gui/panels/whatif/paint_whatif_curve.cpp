#include <algorithm>
#include <cmath>
#include <optional>

#include "gui/panels/whatif/paint_whatif_parts.h"
#include "instrumentation/base/format.h"

namespace runahead::gui {
namespace {

// Room for labels above the highest rate, and for points at the right edge.
constexpr double kRoomAbove = 1.3, kRoomBeside = 1.05;

// The area of the plot, and the figures at its upper and right edges.
struct PlotArea {
  ImVec2 at, size;
  double most_bytes = 1, most_rate = 1;

  [[nodiscard]] ImVec2 place(double rate, double bytes) const {
    return {at.x + size.x * static_cast<float>(bytes / most_bytes),
            at.y + size.y * static_cast<float>(1 - rate / most_rate)};
  }
};

PlotArea area_of(const WhatIfAnswer& answer, ImVec2 at, ImVec2 size) {
  const predict::Measured& measured = answer.replay().run().measured;
  PlotArea area{at, size, static_cast<double>(measured.peak_bytes), measured.steps_per_s()};
  for (const WindowPoint& point : answer.curve) {
    area.most_bytes = std::max(area.most_bytes, static_cast<double>(point.peak_bytes));
    area.most_rate = std::max(area.most_rate, point.steps_per_s);
  }
  area.most_bytes = std::max(area.most_bytes * kRoomBeside, 1.0);
  area.most_rate = std::max(area.most_rate * kRoomAbove, 1e-9);
  return area;
}

void plot_axes(const PanelUi& ui, const PlotArea& area) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float bottom = area.at.y + area.size.y, right = area.at.x + area.size.x;
  const auto grey = rgba(ui.theme.text_dim);
  draw.AddLine(area.at, ImVec2(area.at.x, bottom), rgba(ui.theme.separator), ui.px(1));
  draw.AddLine(ImVec2(area.at.x, bottom), ImVec2(right, bottom), rgba(ui.theme.separator), ui.px(1));
  const std::string rate = format_rate(area.most_rate / kRoomAbove);
  const float y = area.place(area.most_rate / kRoomAbove, 0).y;
  draw.AddLine(ImVec2(area.at.x, y), ImVec2(right, y), rgba(ui.theme.grid_minor), ui.px(1));
  const float small = ImGui::GetFontSize();
  draw.AddText(ImVec2(area.at.x - ImGui::CalcTextSize(rate.c_str()).x - ui.px(6), y - small / 2), grey,
               rate.c_str());
  draw.AddText(ImVec2(area.at.x - ImGui::CalcTextSize("0").x - ui.px(6), bottom - small), grey, "0");
  const std::string bytes = format_bytes(area.most_bytes / kRoomBeside);
  draw.AddText(ImVec2(right - ImGui::CalcTextSize(bytes.c_str()).x, bottom + ui.px(2)), grey, bytes.c_str());
  const char* const name = text(Text::kPeakMemory);
  draw.AddText(ImVec2(area.at.x, bottom + ui.px(2)), grey, name);
}

void whatif_cross(const PanelUi& ui, ImVec2 at, Colour colour) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float r = ui.px(5);
  draw.AddLine(ImVec2(at.x - r, at.y - r), ImVec2(at.x + r, at.y + r), rgba(colour), ui.px(2));
  draw.AddLine(ImVec2(at.x - r, at.y + r), ImVec2(at.x + r, at.y - r), rgba(colour), ui.px(2));
}

// The text beside a point, within the plot.
void label_beside(const PanelUi& ui, const PlotArea& area, ImVec2 at, float down_px,
                  const std::string& words) {
  const float width = ImGui::CalcTextSize(words.c_str()).x;
  const float right = area.at.x + area.size.x;
  const float x = at.x + ui.px(9) + width <= right ? at.x + ui.px(9) : at.x - ui.px(9) - width;
  ImGui::GetWindowDrawList()->AddText(ImVec2(x, at.y + down_px), rgba(ui.theme.text), words.c_str());
}

void plot_points(const PanelUi& ui, const PlotArea& area, const WhatIfAnswer& answer) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  std::optional<ImVec2> before;
  for (const WindowPoint& point : answer.curve) {
    const ImVec2 at = area.place(point.steps_per_s, static_cast<double>(point.peak_bytes));
    if (before) draw.AddLine(*before, at, rgba(ui.theme.counter_line), ui.px(1.5f));
    before = at;
  }
  for (const WindowPoint& point : answer.curve) {
    const ImVec2 at = area.place(point.steps_per_s, static_cast<double>(point.peak_bytes));
    draw.AddCircleFilled(at, ui.px(3), rgba(ui.theme.counter_line));
  }
  const WindowPoint& knee = answer.curve[answer.knee];
  const ImVec2 at = area.place(knee.steps_per_s, static_cast<double>(knee.peak_bytes));
  draw.AddCircle(at, ui.px(7), rgba(ui.theme.marker), 0, ui.px(2));
  label_beside(ui, area, at, -ImGui::GetFontSize() - ui.px(6),
               filled(Text::kWhatIfKnee, {std::to_string(knee.window), format_rate(knee.steps_per_s),
                                          format_bytes(static_cast<double>(knee.peak_bytes))}));
  const predict::Measured& measured = answer.replay().run().measured;
  const ImVec2 real = area.place(measured.steps_per_s(), static_cast<double>(measured.peak_bytes));
  whatif_cross(ui, real, ui.theme.text);
  label_beside(ui, area, real, ui.px(2), text(Text::kWhatIfMeasured));
}

// Says which window the point nearest to the mouse is.
void point_tooltip(const PanelUi& ui, const PlotArea& area, const WhatIfAnswer& answer) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const WindowPoint* nearest = nullptr;
  float least = ui.px(12);
  for (const WindowPoint& point : answer.curve) {
    const ImVec2 at = area.place(point.steps_per_s, static_cast<double>(point.peak_bytes));
    const float distance = std::hypot(at.x - mouse.x, at.y - mouse.y);
    if (distance >= least) continue;
    least = distance;
    nearest = &point;
  }
  if (nearest == nullptr) return;
  ImGui::SetTooltip("window:%d   %s   %s", nearest->window, format_rate(nearest->steps_per_s).c_str(),
                    format_bytes(static_cast<double>(nearest->peak_bytes)).c_str());
}

}  // namespace

void paint_window_curve(const PanelUi& ui, const WhatIfAnswer& answer, ImVec2 size) {
  if (answer.curve.empty()) return wrapped_text(ui, text(Text::kWhatIfNoCurve), true);
  small_dim_line(ui, text(Text::kWhatIfCurveTitle));
  const float title = ImGui::GetTextLineHeightWithSpacing(), line = ImGui::GetFontSize() + ui.px(4);
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float left = ui.px(64);
  const ImVec2 inner(size.x - left - ui.px(6), size.y - title - line - ui.px(4));
  if (inner.x < ui.px(60) || inner.y < ui.px(30)) return;
  const PlotArea area = area_of(answer, ImVec2(corner.x + left, corner.y), inner);
  ImGui::InvisibleButton("##curve", ImVec2(size.x, size.y - title));
  mark_widget(ui, "whatif:curve");
  plot_axes(ui, area);
  plot_points(ui, area, answer);
  if (ImGui::IsItemHovered()) point_tooltip(ui, area, answer);
}

}  // namespace runahead::gui
