#include "gui/widgets/share_bar.h"

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
    case WaitPart::kLimit:
      return theme.failure;
    case WaitPart::kOther:
      break;
  }
  return theme.grid_major;
}

void legend_line(const PanelUi& ui, const BarPart& part) {
  const float side_px = ui.px(9);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float top_px = at.y + (ImGui::GetTextLineHeight() - side_px) / 2;
  ImGui::GetWindowDrawList()->AddRectFilled({at.x, top_px}, {at.x + side_px, top_px + side_px},
                                            rgba(part.colour), ui.px(2));
  ImGui::Indent(side_px + ui.px(6));
  fact_line(ui, part.name, part.value);
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
  for (const BarPart& part : parts) legend_line(ui, part);
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
