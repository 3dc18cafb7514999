// AppCore: what each command does.
#include <algorithm>
#include <cmath>

#include "gui/app/app_core.h"

namespace runahead::gui {

template <>
void AppCore::on(const ChooseWorkload& c) {
  choose_workload(c.name);
}
template <>
void AppCore::on(const ChooseExercise& c) {
  choose_exercise(c.number);
}
template <>
void AppCore::on(const ChooseDevice& c) {
  choice_.devices = {c.name};
}
template <>
void AppCore::on(const ChooseSize& c) {
  choice_.size = c.size;
  choice_.settings.clear();  // another size has other defaults
}
template <>
void AppCore::on(const SetParameter& c) {
  const samples::WorkloadSpec* spec = chosen_workload();
  if (spec == nullptr) return;
  const auto found = std::ranges::find_if(spec->parameters,
                                          [&](const samples::ParameterSpec& p) { return p.name == c.name; });
  if (found == spec->parameters.end()) return;
  if (!c.value || !std::isfinite(*c.value)) {
    choice_.settings.erase(c.name);
    return;
  }
  const double value = std::clamp(found->integer ? std::round(*c.value) : *c.value, found->min, found->max);
  char words[48];
  std::snprintf(words, sizeof words, found->integer ? "%.0f" : "%.17g", value);
  choice_.settings[c.name] = words;
}
template <>
void AppCore::on(const SetEndless& c) {
  choice_.endless = c.endless;
}
template <>
void AppCore::on(const SetEngine& c) {
  choice_.engine = c.options;
  choice_.blas_threads = c.blas_threads;
  if (exercise_ == 0) usual_engine_ = c.options;
}
template <>
void AppCore::on(const TrimMemory&) {
  samples::Runner* const runner = session_->runner();
  if (runner == nullptr) return;
  for (engine::Device* device : runner->devices()) device->pool().trim();
}
template <>
void AppCore::on(const StartRun&) {
  start(false);
}
template <>
void AppCore::on(const TogglePause&) {
  if (!session_->live()) return;
  samples::Runner& runner = *session_->runner();
  runner.state() == samples::RunState::kPaused ? runner.resume() : runner.pause();
}
template <>
void AppCore::on(const StepRun&) {
  step();
}
template <>
void AppCore::on(const StopRun&) {
  session_->stop();
}
template <>
void AppCore::on(const SetBarrier& c) {
  set_barrier(c.policy);
}
template <>
void AppCore::on(const AskForFile& c) {
  ask_for_file(c.purpose);
}
template <>
void AppCore::on(const FileChosen& c) {
  file_chosen(c.purpose, c.path);
}
template <>
void AppCore::on(const CloseDialog&) {
  dialog_.reset();
}
template <>
void AppCore::on(const StopRecording&) {
  stop_recording();
}
template <>
void AppCore::on(const CancelJob&) {
  if (job_) job_->cancel();
}
template <>
void AppCore::on(const TogglePanel& c) {
  bool& visible = settings_.visible[static_cast<std::size_t>(c.panel)];
  visible = !visible;
  // The two share the place below the timeline.
  if (visible && c.panel == Panel::kFind) settings_.visible[static_cast<std::size_t>(Panel::kQuery)] = false;
  if (visible && c.panel == Panel::kQuery) settings_.visible[static_cast<std::size_t>(Panel::kFind)] = false;
}
template <>
void AppCore::on(const SetGraphMode& c) {
  graph_mode_ = c.mode;
}
template <>
void AppCore::on(const AskQuery& c) {
  if (queries_.busy()) return;
  queries_.ask({c.sql, trace().snapshot(), trace_serial_});
}
template <>
void AppCore::on(const Find& c) {
  wanted_ = c.words;
  if (!looked_ || looked_->words != c.words) wake_();
}
template <>
void AppCore::on(const CancelQuery&) {
  queries_.cancel();
}
template <>
void AppCore::on(const SetLight& c) {
  settings_.light = c.light;
}
template <>
void AppCore::on(const SetScale& c) {
  settings_.scale = std::clamp(c.scale, 1.0f, 2.5f);
}
template <>
void AppCore::on(const SetLanguage& c) {
  settings_.language = c.language;
}
template <>
void AppCore::on(const ShowCharacters& c) {
  if (shown_characters_.find(c.utf8) == std::string::npos) shown_characters_ += c.utf8;
}
template <>
void AppCore::on(const SetPresentation& c) {
  presentation_ = c.on;
}
template <>
void AppCore::on(const ResetSettings&) {
  const Settings defaults;
  settings_.light = defaults.light;
  settings_.scale = defaults.scale;
  settings_.language = defaults.language;
  settings_.visible = defaults.visible;
  settings_.folder = defaults.folder;
  presentation_ = false;
  timeline_.collapsed.clear();
  timeline_.hidden.clear();
  timeline_.expanded_queues.clear();
}
template <>
void AppCore::on(const SetSearch& c) {
  timeline_.search = c.words;
}
template <>
void AppCore::on(const DismissError&) {
  error_.clear();
}
template <>
void AppCore::on(const Quit&) {
  quit_ = true;
}
template <>
void AppCore::on(const TimelineCommand& c) {
  apply_timeline(c, trace(), timeline_);
}

void AppCore::apply(const Command& command) {
  std::visit([this](const auto& c) { on(c); }, command);
}

}  // namespace runahead::gui
