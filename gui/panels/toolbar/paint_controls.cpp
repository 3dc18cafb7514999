// The switches and parameters of the program whose recording is followed.
#include <string>
#include <vector>

#include "gui/panels/toolbar/paint_toolbar.h"
#include "gui/widgets/ui.h"
#include "instrumentation/base/format.h"
#include "instrumentation/base/parse_number.h"
#include "instrumentation/link/control.h"

namespace runahead::gui {

namespace {

constexpr float kNumberPx = 96, kAfterNamePx = 8, kBetweenPx = 24, kRowGapPx = 6;

ButtonLook look_of(const link::Control& control, const std::string& choice, const PanelUi& ui) {
  return {.label = choice, .strong = choice == control.value, .accent = ui.theme.marker};
}

float width_of(const link::Control& control, const PanelUi& ui) {
  float width = ImGui::CalcTextSize(control.name.c_str()).x + ui.px(kAfterNamePx);
  if (control.choices.empty()) return width + ui.px(kNumberPx);
  for (const std::string& choice : control.choices)
    width += tool_button_width(ui, look_of(control, choice, ui)) + ui.px(kRowGapPx);
  return width;
}

// The number of the row of each control.
std::vector<int> rows_of(const PanelModel& model, const PanelUi& ui, float width_px) {
  std::vector<int> rows;
  float x = 0;
  int row = 0;
  for (const link::Control& control : model.files.controls) {
    const float width = width_of(control, ui);
    if (x > 0 && x + width > width_px) {
      x = 0;
      ++row;
    }
    rows.push_back(row);
    x += width + ui.px(kBetweenPx);
  }
  return rows;
}

void switch_buttons(const link::Control& control, const PanelUi& ui, Commands& out) {
  for (const std::string& choice : control.choices) {
    if (&choice != control.choices.data()) ImGui::SameLine(0, ui.px(kRowGapPx));
    const std::string id = "control:" + control.name + ":" + choice;
    if (tool_button(ui, id.c_str(), look_of(control, choice, ui)))
      out.push_back(SetControl{control.name, choice});
  }
}

void number_field(const link::Control& control, const PanelUi& ui, Commands& out) {
  double value = parse_real(control.value).value_or(0);
  ImGui::SetNextItemWidth(ui.px(kNumberPx));
  const std::string id = "##control:" + control.name;
  if (ImGui::InputDouble(id.c_str(), &value, 0, 0, "%.6g", ImGuiInputTextFlags_EnterReturnsTrue))
    out.push_back(SetControl{control.name, format_exact(value)});
  mark_widget(ui, "control:" + control.name);
  tooltip(ui, format_exact(control.least) + " .. " + format_exact(control.most));
}

}  // namespace

float controls_panel_height(const PanelModel& model, const PanelUi& ui, float width_px) {
  if (model.files.controls.empty()) return 0;
  const int rows = rows_of(model, ui, width_px).back() + 1;
  return static_cast<float>(rows) * ImGui::GetFrameHeight() + static_cast<float>(rows - 1) * ui.px(kRowGapPx);
}

void controls_panel(const PanelModel& model, const PanelUi& ui, Commands& out) {
  const std::vector<int> rows = rows_of(model, ui, ImGui::GetContentRegionAvail().x);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(ui.px(kRowGapPx), ui.px(kRowGapPx)));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const link::Control& control = model.files.controls[i];
    if (i > 0 && rows[i] == rows[i - 1]) ImGui::SameLine(0, ui.px(kBetweenPx));
    ImGui::PushID(control.name.c_str());
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(control.name.c_str());
    ImGui::SameLine(0, ui.px(kAfterNamePx));
    if (control.choices.empty()) {
      number_field(control, ui, out);
    } else {
      switch_buttons(control, ui, out);
    }
    ImGui::PopID();
  }
  ImGui::PopStyleVar();
}

}  // namespace runahead::gui
