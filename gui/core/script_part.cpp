#include "gui/core/script_part.h"

#include <string>
#include <utility>

#include "gui/text/text.h"

namespace runahead::gui {

void Script::start(const std::filesystem::path& script, ScriptProgram::WorkingFolder folder) {
  close();
  Result<std::unique_ptr<ScriptProgram>> started = Error{};
  screen_.start_as_a_run([&] { started = ScriptProgram::start(script, folder, screen_.wake); });
  if (!started) return screen_.fail(started.error().message);
  program_ = std::move(*started);
  folder_ = folder;
  screen_.notice = filled(Text::kScriptStarts, {script.filename().string()});
}

void Script::start_again() {
  if (program_ == nullptr) return;
  screen_.tell_nothing();
  const std::filesystem::path script = program_->script();
  start(script, folder_);
  again_ = true;
}

void Script::stop() {
  if (program_ == nullptr) return;
  stopped_ = true;
  program_->stop();
}

void Script::close() {
  program_.reset();
  opened_ = stopped_ = told_end_ = again_ = new_ = false;
}

std::optional<std::filesystem::path> Script::to_open() const {
  if (program_ == nullptr || opened_ || !program_->state().records) return std::nullopt;
  return program_->recording();
}

void Script::opened() {
  opened_ = true;
  new_ = !again_;
  program_->recording_opened();
  if (!program_->state().ended) screen_.notice.clear();
}

bool Script::poll() {
  if (program_ == nullptr) return false;
  const bool on_screen = screen_.opened != nullptr && screen_.opened_path == program_->recording();
  if (opened_ && !on_screen) {
    close();
    return true;
  }
  const ScriptProgram::State state = program_->state();
  if (!state.ended || told_end_) return false;
  if (opened_ && screen_.following()) return false;  // the rest of the recording comes first
  if (!opened_ && state.records) return false;
  told_end_ = true;
  tell_end(state);
  return true;
}

void Script::tell_end(const ScriptProgram::State& state) {
  const std::string name = program_->script().filename().string();
  if (stopped_) {
    screen_.notice = filled(Text::kScriptStopped, {name});
  } else if (state.exit_code != 0) {
    screen_.fail(filled(Text::kScriptFailed, {name, std::to_string(state.exit_code), state.last_words}));
  } else {
    screen_.notice = filled(Text::kScriptEnded, {name});
  }
}

std::filesystem::path Script::path() const {
  return program_ != nullptr ? program_->script() : std::filesystem::path();
}

ScriptFacts Script::facts() const {
  if (program_ == nullptr) return {};
  return {.name = program_->script().filename().string(), .runs = !program_->state().ended};
}

}  // namespace runahead::gui
