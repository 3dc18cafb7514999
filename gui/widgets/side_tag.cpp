#include "gui/widgets/side_tag.h"

#include <algorithm>
#include <cmath>

namespace runahead::gui {

void side_tag(const PanelUi& ui, CompareSide side) {
  const bool a = side == CompareSide::kA;
  const Colour ink = a ? ui.theme.side_a : ui.theme.side_b;
  const char* const letter = a ? "A" : "B";
  const float high = ImGui::GetTextLineHeight(), wide = high * 1.25f;
  ImGui::Dummy(ImVec2(wide, high));
  const ImVec2 at = ImGui::GetItemRectMin();
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const ImVec2 end(at.x + wide, at.y + high);
  if (a) {
    draw.AddRectFilled(at, end, rgba(ink), ui.px(3));
  } else {
    draw.AddRect(at, end, rgba(ink), ui.px(3), 0, std::max(1.0f, ui.px(1.6f)));
  }
  const float x = at.x + (wide - ImGui::CalcTextSize(letter).x) / 2;
  draw.AddText({std::floor(x), at.y}, rgba(a ? label_on(ink) : ink), letter);
}

}  // namespace runahead::gui
