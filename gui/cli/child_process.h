// A program started by a command, awaited while signals are passed on to it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "instrumentation/base/result.h"

namespace runahead::gui {

struct ChildEnd {
  int exit_code = 0;
  int signal = 0;  // that ended it; 0: none
};

// Runs words[0] (found as a shell finds it) with stdin, stdout and stderr of this process and `environment`
// beside what is set here, and returns when it has ended. Meanwhile SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1
// and SIGUSR2 do nothing here: the child gets them. What a terminal sends, such as Ctrl-C, it has got
// already. Error: it cannot be started. Main thread, which must be the only one. REQUIRES: words is not
// empty.
[[nodiscard]] Result<ChildEnd> run_child(const std::vector<std::string>& words,
                                         const std::map<std::string, std::string>& environment);

}  // namespace runahead::gui
