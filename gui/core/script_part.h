// Script: the Python script that the window runs (ScriptProgram). Its process lives as long as its recording
// is on the screen.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "gui/background/script_program.h"
#include "gui/core/screen.h"
#include "gui/model/model.h"

namespace runahead::gui {

// One thread (the window's) calls everything.
class Script {
 public:
  explicit Script(Screen& screen) : screen_(screen) {}  // `screen` must outlive this object

  // Ends the script that runs, and starts this one.
  void start(const std::filesystem::path& script, ScriptProgram::WorkingFolder folder);
  void start_again();  // does nothing if no script was started
  void stop();         // asks the process to end; its recording stays on the screen
  // Ends the process. Files calls it before it opens another file.
  void close();

  // Returns the recording to open; nullopt: it has not begun, or it is open.
  [[nodiscard]] std::optional<std::filesystem::path> to_open() const;
  // True if the recording that to_open() returned is complete.
  [[nodiscard]] bool ended() const { return program_ != nullptr && program_->state().ended; }
  void opened();
  // True once after the recording of a script was opened, if the script was not just started again.
  [[nodiscard]] bool take_new() { return std::exchange(new_, false); }
  // Returns true if there is something new to draw.
  bool poll();
  // The script whose recording is on the screen or will be; empty: none.
  [[nodiscard]] std::filesystem::path path() const;
  [[nodiscard]] bool records_into(const std::filesystem::path& file) const {
    return program_ != nullptr && program_->recording() == file;
  }
  [[nodiscard]] ScriptFacts facts() const;

 private:
  void tell_end(const ScriptProgram::State& state);

  Screen& screen_;
  std::unique_ptr<ScriptProgram> program_;
  ScriptProgram::WorkingFolder folder_{};
  bool opened_ = false, stopped_ = false, told_end_ = false;
  bool again_ = false, new_ = false;
};

}  // namespace runahead::gui
