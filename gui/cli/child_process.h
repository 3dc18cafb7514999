// Starts a program, waits until it ends, and passes signals on to it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "instrumentation/base/result.h"

namespace runahead::gui {

struct ChildEnd {
  int exit_code = 0;
  int signal = 0;  // the signal that ended the program; 0: none
};

// Runs the program words[0], with the other words as its arguments. The program is looked up in PATH, as a
// shell does. It inherits stdin, stdout, stderr and the environment of this process; `environment` adds or
// replaces variables. Returns when the program has ended. Until then SIGINT, SIGTERM, SIGHUP, SIGQUIT,
// SIGUSR1 and SIGUSR2 do not end this process; they are passed on to the child. A signal from the terminal,
// such as Ctrl-C, is not passed on, because the child gets it directly. Error: the program cannot be started.
// Call from the main thread, which must be the only thread. REQUIRES: words is not empty.
[[nodiscard]] Result<ChildEnd> run_child(const std::vector<std::string>& words,
                                         const std::map<std::string, std::string>& environment);

}  // namespace runahead::gui
