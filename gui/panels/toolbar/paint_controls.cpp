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

// Strong after the end of the script: then the toolbar's button that runs a workload is not.
ButtonLook restart_look(const PanelModel& model, const PanelUi& ui) {
  const bool runs = model.files.script.runs;
  return {.icon = Icon::kPlay,
          .label = text(runs ? Text::kRestart : Text::kRun),
          .strong = !runs,
          .accent = ui.theme.good,
          .hint = text(Text::kScriptRestartHint)};
}
ButtonLook stop_look(const PanelModel& model) {
  return {.icon = Icon::kStop,
          .label = text(Text::kStop),
          .enabled = model.files.script.runs,
          .hint = text(Text::kScriptStopHint)};
}

// The width of the name of the script and its buttons; 0: the window runs no script.
float script_width(const PanelModel& model, const PanelUi& ui) {
  const std::string& name = model.files.script.name;
  if (name.empty()) return 0;
  return ImGui::CalcTextSize(name.c_str()).x + ui.px(kAfterNamePx) +
         tool_button_width(ui, restart_look(model, ui)) + ui.px(kRowGapPx) +
         tool_button_width(ui, stop_look(model));
}

void script_buttons(const PanelModel& model, const PanelUi& ui, Commands& out) {
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(model.files.script.name.c_str());
  ImGui::SameLine(0, ui.px(kAfterNamePx));
  if (tool_button(ui, "script:restart", restart_look(model, ui))) out.push_back(RestartScript{});
  ImGui::SameLine(0, ui.px(kRowGapPx));
  if (tool_button(ui, "script:stop", stop_look(model))) out.push_back(StopScript{});
}

// The number of the row of each control. The script comes first, in row 0.
std::vector<int> rows_of(const PanelModel& model, const PanelUi& ui, float width_px) {
  std::vector<int> rows;
  float x = script_width(model, ui);
  if (x > 0) x += ui.px(kBetweenPx);
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
  if (model.files.controls.empty() && model.files.script.name.empty()) return 0;
  const std::vector<int> all = rows_of(model, ui, width_px);
  const int rows = all.empty() ? 1 : all.back() + 1;
  return static_cast<float>(rows) * ImGui::GetFrameHeight() + static_cast<float>(rows - 1) * ui.px(kRowGapPx);
}

void controls_panel(const PanelModel& model, const PanelUi& ui, Commands& out) {
  const std::vector<int> rows = rows_of(model, ui, ImGui::GetContentRegionAvail().x);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(ui.px(kRowGapPx), ui.px(kRowGapPx)));
  const bool has_script = !model.files.script.name.empty();
  if (has_script) script_buttons(model, ui, out);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const link::Control& control = model.files.controls[i];
    const bool in_row = i > 0 ? rows[i] == rows[i - 1] : has_script && rows[i] == 0;
    if (in_row) ImGui::SameLine(0, ui.px(kBetweenPx));
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
