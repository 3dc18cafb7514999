// Starts a program, passes signals on to it, and waits until it ends.
#pragma once

#include <sys/types.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "instrumentation/base/result.h"

namespace runahead::gui {

struct ChildEnd {
  int exit_code = 0;
  int signal = 0;  // the signal that ended the program; 0: none
};

// Where the child's stdout goes: to the stdout or to the stderr of this process.
enum class ChildOutput { kStdout, kStderr };

// A program that this process has started. From start() until the object is destroyed, SIGINT, SIGTERM,
// SIGHUP, SIGQUIT, SIGUSR1 and SIGUSR2 do not end this process; they are passed on to the child. A signal
// from the terminal, such as Ctrl-C, is not passed on, because the child gets it directly. The destructor
// does not end the child. Only one object may exist at a time, on the main thread.
class Child {
 public:
  // Starts the program words[0], with the other words as its arguments. The program is looked up in PATH, as
  // a shell does. It inherits stdin, stdout, stderr and the environment of this process; `environment` adds
  // or replaces variables. Error: the program cannot be started. REQUIRES: words is not empty; the main
  // thread is the only thread.
  [[nodiscard]] static Result<std::unique_ptr<Child>> start(
      const std::vector<std::string>& words, const std::map<std::string, std::string>& environment,
      ChildOutput output = ChildOutput::kStdout);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  // True if the program has ended. Does not wait. REQUIRES: wait() was not called.
  [[nodiscard]] bool ended() const;
  // True if a signal has come since the first call that found the program ended: it is for this process,
  // which may still wait for other processes.
  [[nodiscard]] bool interrupted_after_end();
  // Waits until the program has ended. Call it only once.
  [[nodiscard]] ChildEnd wait();

 private:
  class SignalsPassedOn;
  Child();

  std::unique_ptr<SignalsPassedOn> signals_;
  pid_t pid_ = 0;
  std::optional<int> signals_at_end_;  // the number of signals when the program was found ended
};

// Starts a program as Child::start() does, and waits until it has ended.
[[nodiscard]] Result<ChildEnd> run_child(const std::vector<std::string>& words,
                                         const std::map<std::string, std::string>& environment);

}  // namespace runahead::gui
