// The agent: the other machine's end of `runahead attach ssh://...`. An ssh client starts it there. It speaks
// frames (link/frames.h) on its standard input and output: it sends a recording that grows, what the program
// prints, and the program's answers. It ends when its input ends; the program goes on.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "gui/cli/outcome.h"

namespace runahead::gui {

// One of `words`, `resume` and `pid` is given.
struct AgentOptions {
  std::vector<std::string> words;  // start this program in a new spool
  std::string resume;              // the folder of the spool of an earlier agent
  pid_t pid = 0;                   // a program that records already
  // Where `pid` was watched before: the recording and its identity (kHello). It is also read after the
  // program.
  std::string recording, identity;
  std::uint64_t spool_bytes = 0;  // the limit of a new spool
  bool joined = false;            // the watcher has got kJoined from an earlier agent
  bool only_program = false;      // never send kJoined
  // where the watcher continues: offsets in the recording, in stdout and in stderr
  std::uint64_t from = 0, output_from = 0, errors_from = 0;
};

// Errors go to the watcher as a frame.
[[nodiscard]] Outcome run_agent(const AgentOptions& options);

}  // namespace runahead::gui
