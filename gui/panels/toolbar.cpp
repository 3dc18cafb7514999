#include "gui/panels/toolbar.h"

#include <algorithm>
#include <cstdio>

#include "instrumentation/base/format.h"

namespace runahead::gui {

namespace {

void workload_combo(const PanelModel& model, const PanelUi& ui, Commands& out) {
  const std::string shown = model.workload != nullptr ? model.workload->title : model.choice.workload;
  ImGui::SetNextItemWidth(ui.px(190));
  const bool opened = ImGui::BeginCombo("##workload", shown.c_str(), ImGuiComboFlags_HeightLarge);
  if (!opened) {
    mark_widget(ui, "workload");
    tooltip(ui, text(Text::kWorkloadHint));
    return;
  }
  for (const samples::WorkloadSpec* spec : model.workloads) {
    const bool chosen = spec->name == model.choice.workload;
    if (ImGui::Selectable(spec->title.c_str(), chosen)) out.push_back(ChooseWorkload{spec->name});
    mark_widget(ui, "workload:" + spec->name);
    tooltip(ui, spec->question);
    if (chosen) ImGui::SetItemDefaultFocus();
  }
  ImGui::EndCombo();
}

std::string device_title(const PanelModel& model, const std::string& name) {
  for (const engine::DeviceEntry& device : model.devices) {
    if (device.name == name && device.simulated) return name + " " + text(Text::kSimulatedMark);
  }
  return name;
}

void device_choice(const engine::DeviceEntry& device, const PanelModel& model, const PanelUi& ui, bool chosen,
                   Commands& out) {
  const bool needs_accelerator = model.workload != nullptr && model.workload->needs_accelerator;
  const bool fits = device.available && !(needs_accelerator && device.name == "cpu");
  ImGui::BeginDisabled(!fits);
  if (ImGui::Selectable(device_title(model, device.name).c_str(), chosen))
    out.push_back(ChooseDevice{device.name});
  mark_widget(ui, "device:" + device.name);
  ImGui::EndDisabled();
  if (fits) {
    tooltip(ui, device.description);
  } else {
    tooltip(ui, device.available ? text(Text::kNeedsAccelerator) : device.reason);
  }
}

void device_combo(const PanelModel& model, const PanelUi& ui, Commands& out) {
  std::string chosen;
  if (!model.choice.devices.empty()) {
    for (const std::string& name : model.choice.devices)
      chosen += (chosen.empty() ? "" : ", ") + device_title(model, name);
  } else if (model.workload != nullptr) {
    chosen = device_title(model, model.workload->default_device);
  }
  ImGui::SetNextItemWidth(ui.px(180));
  if (!ImGui::BeginCombo("##device", chosen.c_str())) {
    mark_widget(ui, "device");
    tooltip(ui, text(Text::kDeviceHint));
    return;
  }
  for (const engine::DeviceEntry& device : model.devices) {
    device_choice(device, model, ui, device_title(model, device.name) == chosen, out);
  }
  ImGui::EndCombo();
}

void run_buttons(const PanelModel& model, const PanelUi& ui, Commands& out) {
  const bool live = model.live();
  const bool paused = live && model.run->state == samples::RunState::kPaused;
  const bool restart = live && model.run->choice_differs;
  const ButtonLook run{.icon = Icon::kPlay,
                       .label = text(live ? Text::kRestart : Text::kRun),
                       .strong = !live || restart,
                       .accent = ui.theme.good,
                       .hint = text(restart ? Text::kRestartHint : Text::kRunHint)};
  if (tool_button(ui, "run", run)) out.push_back(StartRun{});
  ImGui::SameLine();
  const ButtonLook pause{.icon = paused ? Icon::kPlay : Icon::kPause,
                         .label = text(paused ? Text::kResume : Text::kPause),
                         .enabled = live,
                         .strong = paused,
                         .accent = ui.theme.good,
                         .hint = text(Text::kPauseHint)};
  if (tool_button(ui, "pause", pause)) out.push_back(TogglePause{});
  ImGui::SameLine();
  const ButtonLook step{.icon = Icon::kStep,
                        .label = text(Text::kStep),
                        .enabled = paused || !live,
                        .hint = text(Text::kStepHint)};
  if (tool_button(ui, "step", step)) out.push_back(StepRun{});
  ImGui::SameLine();
  const ButtonLook stop{
      .icon = Icon::kStop, .label = text(Text::kStop), .enabled = live, .hint = text(Text::kStopHint)};
  if (tool_button(ui, "stop", stop)) out.push_back(StopRun{});
}

ButtonLook record_look(const PanelModel& model) {
  const bool recording = !model.recording.empty();
  return {.icon = recording ? Icon::kStop : Icon::kRecord,
          .label = text(recording ? Text::kStopRecording : Text::kRecord),
          .enabled = recording || model.opened.empty(),
          .hint = text(Text::kRecordHint)};
}

void scale_menu(const PanelModel& model, const PanelUi& ui, Commands& out) {
  for (const float scale : {1.0f, 1.25f, 1.5f, 2.0f, 2.5f}) {
    char label[32];
    std::snprintf(label, sizeof label, "%.0f %%", static_cast<double>(scale) * 100);
    if (ImGui::MenuItem(label, nullptr, std::abs(scale - model.chosen_scale) < 0.01f))
      out.push_back(SetScale{scale});
    mark_widget(ui, "scale:" + std::string(label));
  }
}

void panels_menu(const PanelModel& model, const PanelUi& ui, Commands& out) {
  struct Entry {
    Panel panel;
    Text label;
    const char* key;
    const char* widget;
  };
  constexpr Entry kEntries[] = {{Panel::kLesson, Text::kPanelLesson, "", "menu:lesson"},
                                {Panel::kDetails, Text::kPanelDetails, "", "menu:details"},
                                {Panel::kStrip, Text::kPanelStrip, "", "menu:strip"},
                                {Panel::kStatus, Text::kPanelStatus, "", "menu:status"},
                                {Panel::kLegend, Text::kPanelLegend, "L", "menu:legend"},
                                {Panel::kDebug, Text::kPanelDebug, "F3", "menu:debug"},
                                {Panel::kMetrics, Text::kPanelMetrics, "", "menu:metrics"}};
  for (const Entry& entry : kEntries) {
    if (ImGui::MenuItem(text(entry.label), entry.key, model.shows(entry.panel)))
      out.push_back(TogglePanel{entry.panel});
    mark_widget(ui, entry.widget);
  }
}

void window_menu(const PanelModel& model, const PanelUi& ui, Commands& out) {
  if (ImGui::MenuItem(text(Text::kSaveAsDots), "Ctrl+S")) out.push_back(AskForFile{FilePurpose::kSaveAs});
  mark_widget(ui, "menu:save");
  ImGui::Separator();
  if (ImGui::MenuItem(text(Text::kLightTheme), nullptr, model.light)) out.push_back(SetLight{!model.light});
  mark_widget(ui, "menu:light");
  if (ImGui::BeginMenu(text(Text::kScale))) {
    scale_menu(model, ui, out);
    ImGui::EndMenu();
  }
  if (ImGui::MenuItem(text(Text::kPresentation), "P", model.presentation)) {
    out.push_back(SetPresentation{!model.presentation});
  }
  mark_widget(ui, "menu:presentation");
  ImGui::Separator();
  panels_menu(model, ui, out);
  if (ImGui::MenuItem(text(Text::kShowAllTracks))) out.push_back(TimelineCommand{ShowAllTracks{}});
  ImGui::Separator();
  if (ImGui::MenuItem(text(Text::kResetSettings))) out.push_back(ResetSettings{});
  mark_widget(ui, "menu:reset");
  if (ImGui::MenuItem(text(Text::kHelp), "?")) out.push_back(TogglePanel{Panel::kHelp});
  if (ImGui::MenuItem(text(Text::kQuit), "Ctrl+Q")) out.push_back(Quit{});
  mark_widget(ui, "menu:quit");
}

void right_buttons(const PanelModel& model, const PanelUi& ui, Commands& out) {
  const ButtonLook record = record_look(model);
  const ButtonLook open{.icon = Icon::kOpen, .label = text(Text::kOpen), .hint = text(Text::kOpenHint)};
  const ButtonLook save{.icon = Icon::kSave, .label = text(Text::kSaveAs), .hint = text(Text::kSaveHint)};
  const ButtonLook help{.icon = Icon::kHelp, .hint = text(Text::kHelpHint)};
  const ButtonLook menu{.icon = Icon::kMenu, .hint = text(Text::kMenuHint)};
  float width = ImGui::GetStyle().ItemSpacing.x * 4;
  for (const ButtonLook* look : {&record, &open, &save, &help, &menu}) width += tool_button_width(ui, *look);
  ImGui::SameLine(std::max(ImGui::GetCursorPosX(), ImGui::GetWindowContentRegionMax().x - width));
  if (tool_button(ui, "record", record)) {
    model.recording.empty() ? out.push_back(AskForFile{FilePurpose::kRecord})
                            : out.push_back(StopRecording{});
  }
  ImGui::SameLine();
  if (tool_button(ui, "open", open)) out.push_back(AskForFile{FilePurpose::kOpen});
  ImGui::SameLine();
  if (tool_button(ui, "save", save)) out.push_back(AskForFile{FilePurpose::kSaveAs});
  ImGui::SameLine();
  if (tool_button(ui, "help", help)) out.push_back(TogglePanel{Panel::kHelp});
  ImGui::SameLine();
  if (tool_button(ui, "menu", menu)) ImGui::OpenPopup("##menu");
  if (ImGui::BeginPopup("##menu")) {
    window_menu(model, ui, out);
    ImGui::EndPopup();
  }
}

}  // namespace

void toolbar_panel(const PanelModel& model, const PanelUi& ui, Commands& out) {
  workload_combo(model, ui, out);
  ImGui::SameLine();
  device_combo(model, ui, out);
  ImGui::SameLine(0, ui.px(16));
  run_buttons(model, ui, out);
  right_buttons(model, ui, out);
}

}  // namespace runahead::gui
