// Programs on another machine, for `attach` and `control`.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gui/cli/outcome.h"
#include "gui/cli/programs/child_process.h"
#include "gui/cli/remote/ssh_address.h"

namespace CLI {
class App;
}

namespace runahead::gui {

// The words for another machine that `attach` and `control` share.
struct RemoteWords {
  std::string ssh = "ssh", program = "runahead";
};
void add_remote_words(CLI::App& command, RemoteWords& words);

// Runs `runahead` with these arguments on the other machine, with our stdin, stdout and stderr.
[[nodiscard]] Outcome run_there(const SshWords& ssh, const std::vector<std::string>& arguments);

struct RemoteAttach {
  SshWords ssh;
  std::vector<std::string> words;  // the program to start; empty: ssh.address.pid records already
  std::string out, spool;          // empty: a temporary file; the agent's default
  bool json = false;
  bool only_program = false;  // not the joined recording of the program's processes
};
struct Watched {
  Outcome outcome;
  bool to_the_end = false;  // the recording has ended; false: the user stopped watching
};
// Returns the file of the joined recording, once, when another process of the program records too. If
// `wait_until` is not empty, it waits until this is known (at the latest at the program's end), or until
// `wait_until` is true. nullopt: there is no such file (yet).
using NextFile = std::function<std::optional<std::filesystem::path>(const std::function<bool()>& wait_until)>;
// Copies the recording of a program there to a file here, and calls `watch` with the file. After `watch`, the
// program goes on there if it has not ended. Returns the program's exit code, if it has ended.
// `stopped`: the user wants to stop, also while the program's end is waited for. Error: the copy could not be
// made to its end.
[[nodiscard]] Outcome attach_there(
    const RemoteAttach& command, const std::function<bool()>& stopped,
    const std::function<Watched(const std::filesystem::path&, const NextFile&)>& watch);

}  // namespace runahead::gui
