#include "gui/widgets/share_bar.h"

#include <algorithm>
#include <vector>

#include "gui/timeline/wait_facts.h"

namespace runahead::gui {
namespace {

using analysis::WaitPart;

Colour colour_of(const Theme& theme, WaitPart part) {
  switch (part) {
    case WaitPart::kExecuting:
      return theme.of(trace::SliceKind::kExecute);
    case WaitPart::kCopying:
      return theme.of(trace::SliceKind::kCopyToHost);
    case WaitPart::kQueueing:
      return theme.warning;
    case WaitPart::kDispatch:
      return theme.of(trace::SliceKind::kAllocation);
    case WaitPart::kEnqueue:
      return theme.of(trace::SliceKind::kEnqueue);
    case WaitPart::kWakeUp:
      return theme.of(trace::SliceKind::kWait);
    case WaitPart::kFinished:
      return theme.text_dim;
    case WaitPart::kLimit:
      return theme.failure;
    case WaitPart::kOther:
      break;
  }
  return theme.grid_major;
}

// The width of the column of names: as in fact_line(), or more if the longest name needs more.
float names_width(const PanelUi& ui, std::span<const BarPart> parts, float width_px) {
  float names_px = width_px * 0.42f, values_px = 0;
  for (const BarPart& part : parts) {
    names_px = std::max(names_px, ImGui::CalcTextSize(part.name.c_str()).x + ui.px(8));
    values_px = std::max(values_px, ImGui::CalcTextSize(part.value.c_str()).x);
  }
  return std::min(names_px, std::max(width_px * 0.42f, width_px - values_px));
}

void legend_line(const PanelUi& ui, const BarPart& part, float names_px) {
  const float side_px = ui.px(9);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float top_px = at.y + (ImGui::GetTextLineHeight() - side_px) / 2;
  ImGui::GetWindowDrawList()->AddRectFilled({at.x, top_px}, {at.x + side_px, top_px + side_px},
                                            rgba(part.colour), ui.px(2));
  ImGui::Indent(side_px + ui.px(6));
  ImGui::BeginGroup();
  const float width = ImGui::GetContentRegionAvail().x;
  label_line(ui, part.name, names_px - ui.px(6), true);
  ImGui::SameLine(names_px);  // from the begin of the group
  ellipsis_line(ui, part.value, width - names_px);
  ImGui::EndGroup();
  tooltip(ui, part.hint);
  ImGui::Unindent(side_px + ui.px(6));
}

}  // namespace

void draw_share_bar(const PanelUi& ui, std::string_view widget, std::span<const BarPart> parts) {
  if (parts.empty()) return;
  const float width_px = ImGui::GetContentRegionAvail().x, height_px = ui.px(14);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  double from = 0;  // a double, because a sum of floats could be too small to reach the bar's end
  for (const BarPart& part : parts) {
    const auto x0_px = static_cast<float>(from * width_px);
    from += part.share;
    const auto x1_px = static_cast<float>(from * width_px);
    ImGui::GetWindowDrawList()->AddRectFilled({at.x + x0_px, at.y}, {at.x + x1_px, at.y + height_px},
                                              rgba(part.colour));
  }
  ImGui::Dummy({width_px, height_px});
  mark_widget(ui, widget);
  const float names_px = names_width(ui, parts, ImGui::GetContentRegionAvail().x - ui.px(9) - ui.px(6));
  for (const BarPart& part : parts) legend_line(ui, part, names_px);
}

void draw_wait_bar(const PanelUi& ui, const analysis::WaitSplit& split) {
  std::vector<BarPart> parts;
  for (const WaitShare& share : wait_shares(split)) {
    parts.push_back({std::string(wait_part_name(share.part)), share_text(share), share.share,
                     colour_of(ui.theme, share.part)});
  }
  draw_share_bar(ui, "wait_bar", parts);
}

}  // namespace runahead::gui
