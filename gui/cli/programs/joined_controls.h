// The controls of several processes as those of one program. A control that several processes have is one
// control: its value is that of the first process that has it, and a change goes to all of them.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gui/cli/programs/process_watch.h"
#include "instrumentation/base/mutex.h"
#include "instrumentation/base/result.h"
#include "instrumentation/link/program_link.h"

namespace runahead::gui {

// answer() is called on one thread, all other functions on another.
class JoinedControls {
 public:
  void add(pid_t process, std::filesystem::path recording);
  // Connects to processes without a link. While a link exists, the process writes its recording more often. A
  // process that does not answer is tried again later, so it does not hold up the others. Call it from time
  // to time.
  void connect();
  // Answers a message of a watcher (ProgramPort::Answer). A change that a living process did not take is an
  // error, which names the process.
  [[nodiscard]] std::optional<std::string> answer(const std::string& words);

 private:
  struct Process {
    explicit Process(pid_t number) : pid(number), watch(number) {}
    pid_t pid;
    ProcessWatch watch;
    std::filesystem::path recording;
    std::unique_ptr<link::ProgramLink> link;  // null: not connected
    std::chrono::steady_clock::time_point next_try{};
    std::chrono::milliseconds pause{100};
  };
  static void connect(Process& process);
  [[nodiscard]] static bool is_elsewhere(const Process& process);
  [[nodiscard]] static Result<std::string> ask(Process& process, const std::string& words);
  [[nodiscard]] std::optional<std::string> broken_link() RUNAHEAD_REQUIRES(mutex_);
  [[nodiscard]] std::optional<std::string> clock_of_first() RUNAHEAD_REQUIRES(mutex_);
  [[nodiscard]] std::string list() RUNAHEAD_REQUIRES(mutex_);
  [[nodiscard]] std::string set(const std::string& words, const std::string& name) RUNAHEAD_REQUIRES(mutex_);

  Mutex mutex_;  // never nests
  std::vector<Process> processes_ RUNAHEAD_GUARDED_BY(mutex_);
  pid_t first_ RUNAHEAD_GUARDED_BY(mutex_) = 0;  // the first one that was added
};

}  // namespace runahead::gui
