#include <algorithm>

#include "gui/model/model.h"
#include "gui/panels/status/status_panel.h"
#include "gui/widgets/ui.h"
#include "instrumentation/base/format.h"

namespace runahead::gui {

namespace {

Text state_text(samples::RunState state) {
  switch (state) {
    case samples::RunState::kRunning:
      return Text::kStateRunning;
    case samples::RunState::kPaused:
      return Text::kStatePaused;
    case samples::RunState::kStopping:
      return Text::kStateStopping;
    case samples::RunState::kFinished:
      return Text::kStateFinished;
    case samples::RunState::kFailed:
      break;
  }
  return Text::kStateFailed;
}

std::string count_of(std::int64_t n, Text noun) {
  return " \u00b7 " + format_count(static_cast<double>(n)) + " " + text(noun);
}

std::string run_line(const PanelModel& model) {
  if (!model.run) {
    if (model.files.opened.empty()) return text(Text::kNothingRuns);
    const std::string name = model.files.opened.filename().string();
    if (!model.files.broken_host.empty())
      return filled(Text::kFollowedBroken, {name, model.files.broken_host});
    if (model.files.followed) return filled(Text::kFollowedFile, {name});
    return std::string(text(Text::kOpenedFile)) + " " + name;
  }
  const RunFacts& run = *model.run;
  const std::string devices =
      run.devices + (run.simulated ? std::string(" ") + text(Text::kSimulatedMark) : "");
  std::string line = filled(Text::kRunOn, {run.workload, devices}) + " \u00b7 " +
                     text(state_text(run.state)) + count_of(run.steps, Text::kStepsWord);
  if (run.live()) line += count_of(run.ops_in_flight, Text::kOpsInFlight);
  if (run.held_by_limit > 0) line += count_of(run.held_by_limit, Text::kHeldByLimit);
  if (run.late_ops > 0) line += count_of(run.late_ops, Text::kLateOps);
  return line;
}

std::string recording_line(const PanelModel& model) {
  const std::string kept = limits_words(model.recording.limits);
  return std::string(text(Text::kRecordingTo)) + " " + model.recording.path.filename().string() + ", " +
         (kept.empty() ? "" : kept + ", ") + format_bytes(static_cast<double>(model.recording.bytes));
}

void losses(const PanelModel& model, const PanelUi& ui) {
  if (model.trace.losses().none()) return;
  const std::vector<std::string> sentences = loss_sentences(model.trace);
  if (sentences.empty()) return;
  std::string all;
  for (const std::string& sentence : sentences) all += (all.empty() ? "" : "\n") + sentence;
  const bool missing = model.trace.losses().facts_missing();
  const std::string more = sentences.size() > 1 ? "  (+" + std::to_string(sentences.size() - 1) + ")" : "";
  ImGui::SameLine(0, ui.px(24));
  ImGui::PushStyleColor(ImGuiCol_Text, to_imvec(missing ? ui.theme.warning : ui.theme.text_dim));
  const float room = std::max(ImGui::GetContentRegionAvail().x * 0.6f, ui.px(60));
  ellipsis_line(ui, sentences.front() + more, room);
  ImGui::PopStyleColor();
  mark_widget(ui, "losses");
  tooltip(ui, all);
}

}  // namespace

float panel_height(const StatusPanel&, const PanelModel&, const PanelUi& ui, float) {
  return ui.fonts.small->FontSize + ui.px(9);
}

void paint_panel(StatusPanel&, const PanelModel& model, const PanelUi& ui, Commands&) {
  ImGui::PushFont(ui.fonts.small);
  const bool alone = model.recording.path.empty() && model.notice.empty() && model.trace.losses().none();
  ellipsis_line(ui, run_line(model), ImGui::GetContentRegionAvail().x * (alone ? 1.0f : 0.62f), true);
  mark_widget(ui, "status");
  if (!model.recording.path.empty()) {
    ImGui::SameLine(0, ui.px(24));
    ImGui::PushStyleColor(ImGuiCol_Text, to_imvec(ui.theme.failure));
    ellipsis_line(ui, recording_line(model), ImGui::GetContentRegionAvail().x * 0.6f);
    ImGui::PopStyleColor();
    mark_widget(ui, "recording");
    tooltip(ui, model.recording.path.string() + "\n" + recording_line(model));
  }
  if (!model.notice.empty()) {
    ImGui::SameLine(0, ui.px(24));
    ImGui::PushStyleColor(ImGuiCol_Text, to_imvec(ui.theme.good));
    ellipsis_line(ui, model.notice, ImGui::GetContentRegionAvail().x * 0.7f);
    ImGui::PopStyleColor();
  }
  losses(model, ui);
  ImGui::PopFont();
}

}  // namespace runahead::gui
