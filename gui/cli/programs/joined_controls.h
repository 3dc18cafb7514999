// The controls of several processes as those of one program. A control that several processes have is one
// control: its value is that of the first process that has it, and a change goes to all of them.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "instrumentation/base/mutex.h"
#include "instrumentation/link/program_link.h"

namespace runahead::gui {

// add() is called on one thread, answer() on another.
class JoinedControls {
 public:
  // The processes write their recordings more often while these links exist (ProgramLink).
  void add(std::unique_ptr<link::ProgramLink> process);
  // Answers a message of a watcher (ProgramPort::Answer).
  [[nodiscard]] std::optional<std::string> answer(const std::string& words);

 private:
  [[nodiscard]] std::string list() RUNAHEAD_REQUIRES(mutex_);
  [[nodiscard]] std::string set(const std::string& words, const std::string& name) RUNAHEAD_REQUIRES(mutex_);

  Mutex mutex_;  // never nests
  std::vector<std::unique_ptr<link::ProgramLink>> processes_ RUNAHEAD_GUARDED_BY(mutex_);
};

}  // namespace runahead::gui
