#include "gui/panels/toolbar/paint_toolbar.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>

namespace runahead::gui {

namespace {

// Shortens `words`, the selected entry of a combo box, so that it fits next to the arrow of the box.
std::string combo_preview(const std::string& words, float width_px) {
  const float room = width_px - ImGui::GetFrameHeight() - 2 * ImGui::GetStyle().FramePadding.x;
  return shortened(ImGui::GetFont(), words, room);
}

std::string numbered(const samples::Exercise& exercise) {
  return std::to_string(exercise.number) + "   " + translated(exercise.title);
}

void exercise_choices(const PanelModel& model, const PanelUi& ui, Commands& out) {
  ImGui::Separator();
  small_dim_line(ui, text(Text::kExercises));
  for (const samples::Exercise& exercise : samples::list_exercises()) {
    const bool chosen = model.start.exercise == &exercise;
    if (ImGui::Selectable(numbered(exercise).c_str(), chosen)) out.push_back(ChooseExercise{exercise.number});
    mark_widget(ui, "exercise:" + std::to_string(exercise.number));
    tooltip(ui, translated(exercise.steps.front()));
    if (chosen) ImGui::SetItemDefaultFocus();
  }
}

void workload_combo(const PanelModel& model, const PanelUi& ui, float width_px, Commands& out) {
  std::string shown =
      model.start.workload != nullptr ? translated(model.start.workload->title) : model.start.choice.workload;
  if (model.start.exercise != nullptr) shown = numbered(*model.start.exercise);
  // The title of an exercise may be cut off: it is a long question, and the tooltip shows it in full.
  if (model.start.exercise == nullptr)
    note_fit(ui, shown, width_px - ImGui::GetFrameHeight() - 2 * ImGui::GetStyle().FramePadding.x);
  ImGui::SetNextItemWidth(width_px);
  const bool opened =
      ImGui::BeginCombo("##workload", combo_preview(shown, width_px).c_str(), ImGuiComboFlags_HeightLargest);
  if (!opened) {
    mark_widget(ui, "workload");
    tooltip(ui, shown + "\n" + text(Text::kWorkloadHint));
    return;
  }
  for (const samples::WorkloadSpec* spec : model.start.workloads) {
    const bool chosen = model.start.exercise == nullptr && spec->name == model.start.choice.workload;
    if (ImGui::Selectable(translated(spec->title).c_str(), chosen)) out.push_back(ChooseWorkload{spec->name});
    mark_widget(ui, "workload:" + spec->name);
    tooltip(ui, translated(spec->question));
    if (chosen) ImGui::SetItemDefaultFocus();
  }
  exercise_choices(model, ui, out);
  ImGui::EndCombo();
}

// Returns `name` with a mark for each simulated device. `name` is one device, or all devices of a workload
// that uses several ("virtual:0, virtual:1").
std::string device_title(const PanelModel& model, const std::string& name) {
  const std::size_t comma = name.find(", ");
  if (comma != std::string::npos)
    return device_title(model, name.substr(0, comma)) + ", " + device_title(model, name.substr(comma + 2));
  const bool simulated =
      engine::is_virtual_device(name) ||
      std::ranges::any_of(model.start.devices, [&](const auto& d) { return d.name == name && d.simulated; });
  return simulated ? name + " " + text(Text::kSimulatedMark) : name;
}

void device_choice(const engine::DeviceEntry& device, const PanelModel& model, const PanelUi& ui, bool chosen,
                   Commands& out) {
  const bool needs_accelerator = model.start.workload != nullptr && model.start.workload->needs_accelerator;
  const bool fits = device.available && !(needs_accelerator && device.name == "cpu");
  ImGui::BeginDisabled(!fits);
  if (ImGui::Selectable(device_title(model, device.name).c_str(), chosen))
    out.push_back(ChooseDevice{device.name});
  mark_widget(ui, "device:" + device.name);
  ImGui::EndDisabled();
  if (fits) {
    tooltip(ui, translated(device.description));
  } else {
    tooltip(ui, device.available ? text(Text::kNeedsAccelerator) : translated(device.reason));
  }
}

void device_combo(const PanelModel& model, const PanelUi& ui, float width_px, Commands& out) {
  std::string chosen;
  if (!model.start.choice.devices.empty()) {
    for (const std::string& name : model.start.choice.devices)
      chosen += (chosen.empty() ? "" : ", ") + device_title(model, name);
  } else if (model.start.workload != nullptr) {
    chosen = device_title(model, model.start.workload->default_device);
  }
  ImGui::SetNextItemWidth(width_px);
  if (!ImGui::BeginCombo("##device", combo_preview(chosen, width_px).c_str())) {
    mark_widget(ui, "device");
    tooltip(ui, chosen + "\n" + text(Text::kDeviceHint));
    return;
  }
  for (const engine::DeviceEntry& device : model.start.devices) {
    device_choice(device, model, ui, device_title(model, device.name) == chosen, out);
  }
  ImGui::EndCombo();
}

// If there is too little room, the toolbar omits or shrinks these items, in the order of the fields.
struct Room {
  bool file_labels = true, run_labels = true, file_buttons = true;
  float combo = 1;  // width of the combo boxes, as a share of their usual width
};

struct RunLooks {
  ButtonLook run, pause, step, stop;
};

RunLooks run_looks(const PanelModel& model, const PanelUi& ui, const Room& room) {
  const bool live = model.live();
  const bool paused = live && model.run->state == samples::RunState::kPaused;
  const bool restart = live && model.run->choice_differs;
  const auto label = [&room](Text which) { return room.run_labels ? text(which) : ""; };
  return {
      .run = {.icon = Icon::kPlay,
              .label = label(live ? Text::kRestart : Text::kRun),
              .strong = (!live && model.files.script.name.empty()) || restart,
              .accent = ui.theme.good,
              .hint = text(live ? Text::kRestartHint : Text::kRunHint)},
      .pause = {.icon = paused ? Icon::kPlay : Icon::kPause,
                .label = label(paused ? Text::kResume : Text::kPause),
                .enabled = live,
                .strong = paused,
                .accent = ui.theme.good,
                .hint = text(Text::kPauseHint)},
      .step = {.icon = Icon::kStep,
               .label = label(Text::kStep),
               .enabled = paused || !live,
               .hint = text(Text::kStepHint)},
      .stop = {
          .icon = Icon::kStop, .label = label(Text::kStop), .enabled = live, .hint = text(Text::kStopHint)}};
}

struct FileLooks {
  ButtonLook record, open, save, help, menu;
};

FileLooks file_looks(const PanelModel& model, const Room& room) {
  const bool recording = !model.recording.path.empty();
  const auto label = [&room](Text which) { return room.file_labels ? text(which) : ""; };
  return {.record = {.icon = recording ? Icon::kStop : Icon::kRecord,
                     .label = label(recording ? Text::kStopRecording : Text::kRecord),
                     .enabled = recording || model.files.opened.empty(),
                     .hint = recording ? "" : text(Text::kRecordHint)},
          .open = {.icon = Icon::kOpen, .label = label(Text::kOpen), .hint = text(Text::kOpenHint)},
          .save = {.icon = Icon::kSave, .label = label(Text::kSaveAs), .hint = text(Text::kSaveHint)},
          .help = {.icon = Icon::kHelp, .hint = text(Text::kHelpHint)},
          .menu = {.icon = Icon::kMenu, .hint = text(Text::kMenuHint)}};
}

float width_of(const PanelUi& ui, std::initializer_list<const ButtonLook*> looks) {
  float width = ImGui::GetStyle().ItemSpacing.x * static_cast<float>(looks.size() - 1);
  for (const ButtonLook* look : looks) width += tool_button_width(ui, *look);
  return width;
}

float files_width(const PanelUi& ui, const FileLooks& looks, const Room& room) {
  if (!room.file_buttons) return width_of(ui, {&looks.help, &looks.menu});
  return width_of(ui, {&looks.record, &looks.open, &looks.save, &looks.help, &looks.menu});
}

constexpr float kWorkloadPx = 190, kDevicePx = 180, kGapPx = 16;

Room room_for(const PanelModel& model, const PanelUi& ui, float width_px) {
  const Room choices[] = {{},
                          {.file_labels = false},
                          {.file_labels = false, .run_labels = false},
                          {.file_labels = false, .run_labels = false, .file_buttons = false},
                          {.file_labels = false, .run_labels = false, .file_buttons = false, .combo = 0.7f},
                          {.file_labels = false, .run_labels = false, .file_buttons = false, .combo = 0.5f}};
  for (const Room& room : choices) {
    const RunLooks run = run_looks(model, ui, room);
    const float combos = ui.px((kWorkloadPx + kDevicePx) * room.combo) + ImGui::GetStyle().ItemSpacing.x;
    const float buttons = width_of(ui, {&run.run, &run.pause, &run.step, &run.stop});
    const float needed =
        combos + ui.px(2 * kGapPx) + buttons + files_width(ui, file_looks(model, room), room);
    if (needed <= width_px) return room;
  }
  return choices[std::size(choices) - 1];
}

void run_buttons(const PanelModel& model, const PanelUi& ui, const Room& room, Commands& out) {
  const RunLooks looks = run_looks(model, ui, room);
  if (tool_button(ui, "run", looks.run)) out.push_back(StartRun{});
  ImGui::SameLine();
  if (tool_button(ui, "pause", looks.pause)) out.push_back(TogglePause{});
  ImGui::SameLine();
  if (tool_button(ui, "step", looks.step)) out.push_back(StepRun{});
  ImGui::SameLine();
  if (tool_button(ui, "stop", looks.stop)) out.push_back(StopRun{});
}

// Returns the tooltip of the button that stops the recording. It contains the path of the file being written,
// and how much of the run the recording keeps. The status line shows the same facts, but it may be hidden.
std::string stop_recording_hint(const PanelModel& model) {
  const std::string kept = limits_words(model.recording.limits);
  return std::string(text(Text::kStopRecording)) + "\n" + model.recording.path.string() +
         (kept.empty() ? "" : "\n" + kept);
}

void file_buttons(const PanelModel& model, const PanelUi& ui, const FileLooks& looks, Commands& out) {
  if (tool_button(ui, "record", looks.record)) toggle_recording(model, out);
  if (!model.recording.path.empty()) tooltip(ui, stop_recording_hint(model));
  ImGui::SameLine();
  if (tool_button(ui, "open", looks.open)) out.push_back(AskForFile{FilePurpose::kOpen});
  ImGui::SameLine();
  if (tool_button(ui, "save", looks.save)) out.push_back(AskForFile{FilePurpose::kSaveAs});
  ImGui::SameLine();
}

void right_buttons(const PanelModel& model, const PanelUi& ui, const Room& room, Commands& out) {
  const FileLooks looks = file_looks(model, room);
  ImGui::SameLine(ImGui::GetWindowContentRegionMax().x - files_width(ui, looks, room));
  if (room.file_buttons) file_buttons(model, ui, looks, out);
  if (tool_button(ui, "help", looks.help)) out.push_back(TogglePanel{kHelpPanel});
  ImGui::SameLine();
  if (tool_button(ui, "menu", looks.menu)) ImGui::OpenPopup("##menu");
  if (ImGui::BeginPopup("##menu")) {
    window_menu(model, ui, out);
    ImGui::EndPopup();
  }
}

}  // namespace

void toolbar_panel(const PanelModel& model, const PanelUi& ui, Commands& out) {
  const Room room = room_for(model, ui, ImGui::GetContentRegionAvail().x);
  workload_combo(model, ui, ui.px(kWorkloadPx * room.combo), out);
  ImGui::SameLine();
  device_combo(model, ui, ui.px(kDevicePx * room.combo), out);
  ImGui::SameLine(0, ui.px(kGapPx));
  run_buttons(model, ui, room, out);
  right_buttons(model, ui, room, out);
}

}  // namespace runahead::gui
