// AppCore: what each command does.
#include <algorithm>
#include <array>
#include <cmath>

#include "gui/core/app_core.h"
#include "gui/text/text.h"
#include "instrumentation/analysis/notes.h"

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
  if (exercise_ == 0) {
    // The number of workers may be the workload's, and stays its own unless it was changed.
    const int workers = usual_engine_.cpu_workers;
    usual_engine_ = c.options;
    if (c.options.cpu_workers == choice_.engine.cpu_workers) usual_engine_.cpu_workers = workers;
  }
  choice_.engine = c.options;
  choice_.blas_threads = c.blas_threads;
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
void AppCore::on(const TurnToStage& c) {
  turn_to(c.stage);
}
template <>
void AppCore::on(const Predict& c) {
  if (const samples::Lesson* lesson = chosen_lesson()) lessons_.predict(*lesson, c.index, c.value);
}
template <>
void AppCore::on(const WriteDown&) {
  const samples::Lesson* const lesson = chosen_lesson();
  if (lesson == nullptr) return;
  lessons_.write_down(*lesson);
  note_lesson_facts();
}
template <>
void AppCore::on(const RunPart& c) {
  run_part(c.id);
}
template <>
void AppCore::on(const BeginLessonAgain&) {
  if (const samples::Lesson* lesson = chosen_lesson()) lessons_.begin_again(*lesson);
}
template <>
void AppCore::on(const ResetClass&) {
  reset_class();
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
void AppCore::on(const SaveTable& c) {
  ask_where_to_save(c);
}
template <>
void AppCore::on(const FilesDropped& c) {
  if (c.paths.empty()) return;
  file_chosen(FilePurpose::kOpen, c.paths.front());
  if (c.paths.size() > 1)
    notice_ =
        filled(Text::kDroppedMany, {std::to_string(c.paths.size()), c.paths.front().filename().string()});
}
template <>
void AppCore::on(const ForgetRecent&) {
  settings_.recent.clear();
}
template <>
void AppCore::on(const CloseDialog&) {
  dialog_.reset();
}
template <>
void AppCore::on(const SetRecordKeep& c) {
  settings_.record_keep = within_bounds(c.keep);
}
template <>
void AppCore::on(const StopRecording&) {
  stop_recording();
}
template <>
void AppCore::on(const CancelJob&) {
  if (Job* const shown = job_ ? job_.get() : joining_.get()) shown->cancel();
}
template <>
void AppCore::on(const CloseComparison&) {
  panels_.find(kComparePanel)->show(false);
  comparing_.close();
  share_memory();
}
template <>
void AppCore::on(const TogglePanel& c) {
  if (PanelModule* const panel = panels_.find(c.id)) toggle(*panel);
}
template <>
void AppCore::on(const OpenComparison&) {
  comparing_.opened();
}
template <>
void AppCore::on(const Compare& c) {
  comparing_.choose(c.choice);
  wake_();
}
template <>
void AppCore::on(const ShowCompared& c) {
  comparing_.show(main_trace(), c.slices);
}
template <>
void AppCore::on(const StepCompared& c) {
  comparing_.step(main_trace(), c.side, c.by);
}
template <>
void AppCore::on(const AlignCompared&) {
  comparing_.align();
}
template <>
void AppCore::on(const LinkCompared& c) {
  comparing_.link(main_trace(), c.linked);
}
template <>
void AppCore::on(const OnLowerTimeline& c) {
  comparing_.on_lower(main_trace(), c.command);
}
template <>
void AppCore::on(const SetLight& c) {
  settings_.light = c.light;
}
template <>
void AppCore::on(const SetMotion& c) {
  settings_.motion = c.on;
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
  settings_.motion = defaults.motion;
  settings_.language = defaults.language;
  settings_.visible.clear();
  show_panels_of_settings();
  settings_.folder = defaults.folder;
  settings_.recent = defaults.recent;
  settings_.record_keep = defaults.record_keep;
  settings_.sizes = defaults.sizes;
  keep_panels();
  presentation_ = false;
  choices_.forget();
  settings_.colour_by = timeline_.colour_by = defaults.colour_by;
}
template <>
void AppCore::on(const SetNote& c) {
  const std::string key = analysis::note_key(c.at);
  if (!opened_) return session_->add_fact(key, c.words);
  opened_->set_metadata(key, c.words);
  notice_ = text(Text::kNoteNotSaved);
}
template <>
void AppCore::on(const SetSearch& c) {
  timeline_.search = c.words;
}
template <>
void AppCore::on(const Tell& c) {
  notice_ = c.words;
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
  take_choices_of_settings();
  choices_.apply(c, trace(), timeline_);
  settings_.colour_by = timeline_.colour_by;
}

void AppCore::apply(const Command& command) {
  std::visit([this](const auto& c) { on(c); }, command);
}

}  // namespace runahead::gui
