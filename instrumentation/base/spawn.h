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

}  // namespace runahead
