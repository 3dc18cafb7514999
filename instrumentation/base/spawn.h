// Starts a program in a process of its own.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace runahead {

struct SpawnOptions {
  std::map<std::string, std::string>
      environment;               // added to the environment of this process, or replaced in it
  std::filesystem::path folder;  // the working directory; empty: that of this process
  int out = -1, err = -1;        // become stdout and stderr; -1: those of this process
};

// Starts the program words[0], with the other words as its arguments. The program is looked up in PATH, as a
// shell does. The process gets the default handling of SIGPIPE and SIGXFSZ, which this program ignores. It
// has the priority of the calling thread. Returns 0 and sets `process`, or returns an errno. REQUIRES: words
// is not empty. Any thread.
[[nodiscard]] int spawn(const std::vector<std::string>& words, const SpawnOptions& options, pid_t& process);

// An environment variable for a program of ours that shall not outlive its parent: the parent's process id.
inline constexpr const char* kEndsWithVariable = "RUNAHEAD_ENDS_WITH";
// If the variable is set: from now on, the kernel sends SIGTERM to this process when the thread that started
// it ends, even if the parent is killed. exec() keeps the setting. Removes the variable, so that children do
// not inherit it. Returns false if the parent has ended already. Call before other threads exist.
[[nodiscard]] bool end_with_parent();

}  // namespace runahead
