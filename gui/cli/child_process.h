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

// Runs words[0], which is found in PATH as a shell does. The program has stdin, stdout and stderr of this
// process, and the environment with `environment` added. Returns when the program has ended. Until then
// SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1 and SIGUSR2 do not end this process; they are passed on to the
// child. A signal from the terminal, such as Ctrl-C, is not passed on, because the child gets it directly.
// Error: the program cannot be started. Call from the main thread, which must be the only thread. REQUIRES:
// words is not empty.
[[nodiscard]] Result<ChildEnd> run_child(const std::vector<std::string>& words,
                                         const std::map<std::string, std::string>& environment);

}  // namespace runahead::gui
