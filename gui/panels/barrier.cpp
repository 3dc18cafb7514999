#include "gui/panels/barrier.h"

#include <algorithm>

namespace runahead::gui {

namespace {

constexpr float kButtonPx = 42;

struct Place {
  ImVec2 at, size;
};

void paint_button(const PanelUi& ui, const Place& place, const std::string& label, const std::string& key,
                  bool active, bool hovered) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const ImVec2 end(place.at.x + place.size.x, place.at.y + place.size.y);
  Colour fill = active ? ui.theme.marker : mix(ui.theme.panel, ui.theme.text, 0.08f);
  if (hovered) fill = mix(fill, ui.theme.text, 0.10f);
  const Colour ink = active ? label_on(fill) : ui.theme.text;
  const float round = ui.px(6);
  draw.AddRectFilled(place.at, end, ImGui::GetColorU32(to_imvec(fill)), round);
  if (!active) draw.AddRect(place.at, end, ImGui::GetColorU32(to_imvec(ui.theme.separator)), round);
  ImFont* const key_face = ui.fonts.small;
  const ImVec4 clip(place.at.x, place.at.y, end.x, end.y);
  draw.AddText(key_face, key_face->FontSize, ImVec2(place.at.x + ui.px(8), place.at.y + ui.px(4)),
               ImGui::GetColorU32(to_imvec(with_alpha(ink, active ? 220 : 150))), key.c_str(), nullptr, 0,
               &clip);
  ImFont* const face = active ? ui.fonts.bold : ui.fonts.body;
  const ImVec2 text_px = face->CalcTextSizeA(face->FontSize, FLT_MAX, 0, label.c_str());
  // Centred, but never over the key's number.
  const float x = std::max(place.at.x + (place.size.x - text_px.x) / 2, place.at.x + ui.px(22));
  draw.AddText(face, face->FontSize, ImVec2(x, place.at.y + (place.size.y - text_px.y) / 2),
               ImGui::GetColorU32(to_imvec(ink)), label.c_str(), nullptr, 0, &clip);
}

bool barrier_button(const PanelUi& ui, const engine::BarrierChoice& choice, std::size_t number,
                    float width_px, bool active) {
  const std::string id = "barrier:" + engine::to_string(choice.policy);
  const Place place{ImGui::GetCursorScreenPos(), ImVec2(width_px, ui.px(kButtonPx))};
  const bool pressed = ImGui::InvisibleButton(id.c_str(), place.size);
  const bool hovered = ImGui::IsItemHovered();
  mark_widget(ui, id);
  tooltip(ui, choice.sentence);
  paint_button(ui, place, std::string(choice.label), number <= 9 ? std::to_string(number) : "", active,
               hovered);
  return pressed;
}

// Natural widths, and what is left shared out; all shrink alike where there is too little.
std::vector<float> button_widths(const PanelUi& ui, const std::vector<engine::BarrierChoice>& row,
                                 float room_px) {
  std::vector<float> widths;
  float sum = 0;
  for (const engine::BarrierChoice& choice : row) {
    const std::string label(choice.label);
    const float text_px =
        ui.fonts.bold->CalcTextSizeA(ui.fonts.bold->FontSize, FLT_MAX, 0, label.c_str()).x + ui.px(46);
    widths.push_back(std::max(text_px, ui.px(84)));
    sum += widths.back();
  }
  const float spacing = ImGui::GetStyle().ItemSpacing.x * static_cast<float>(row.size() - 1);
  const float factor = (room_px - spacing) / sum;
  for (float& width : widths) width = std::min(width * factor, width * 1.5f);
  return widths;
}

}  // namespace

float barrier_panel_height(const PanelUi& ui) { return ui.px(kButtonPx); }

void barrier_panel(const PanelModel& model, const PanelUi& ui, Commands& out) {
  const std::vector<engine::BarrierChoice> row = barrier_row(model.workload);
  if (row.empty()) return;
  const engine::BarrierPolicy active = model.live() ? model.run->barrier : model.choice.barrier;
  ImGui::PushFont(ui.fonts.large);
  const float label_y = (ui.px(kButtonPx) - ImGui::GetFontSize()) / 2;
  const ImVec2 start = ImGui::GetCursorPos();
  ImGui::SetCursorPosY(start.y + label_y);
  // One that is no button (window:7 from the command line) is named here.
  const bool on_a_button =
      std::ranges::any_of(row, [&](const auto& choice) { return choice.policy == active; });
  text_line(std::string(text(Text::kBarrier)) + (on_a_button ? "" : " " + engine::to_string(active)));
  ImGui::PopFont();
  tooltip(ui, text(Text::kBarrierHint));
  ImGui::SameLine(0, ui.px(14));
  ImGui::SetCursorPosY(start.y);
  const std::vector<float> widths = button_widths(ui, row, ImGui::GetContentRegionAvail().x);
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i > 0) {
      ImGui::SameLine();
      ImGui::SetCursorPosY(start.y);
    }
    const bool chosen = row[i].policy == active;
    if (barrier_button(ui, row[i], i + 1, widths[i], chosen) && !chosen)
      out.push_back(SetBarrier{row[i].policy});
  }
}

}  // namespace runahead::gui
