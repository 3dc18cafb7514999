#include "gui/cli/remote/remote_program.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <utility>

#include "gui/cli/programs/recorded_program.h"
#include "gui/cli/remote/bridge.h"
#include "instrumentation/base/posix_file.h"
#include "instrumentation/base/scratch_folder.h"

namespace runahead::gui {
namespace {

Outcome outcome_of(const std::optional<ChildEnd>& end, const RemoteAttach& command, Outcome watched) {
  if (!end) {
    if (!command.words.empty() && watched.message.empty())
      std::fprintf(stderr, "runahead: the program goes on there; `runahead attach ssh://%s` lists it\n",
                   command.ssh.address.host.c_str());
    return watched;
  }
  if (end->exit_code != 0) watched.exit_code = end->exit_code;
  return watched;
}

// The process beside the program has said why (start_in_spool()).
Outcome nothing_recorded(const ChildEnd& end) {
  return {end.exit_code != 0 ? end.exit_code : kExitRefused, {}};
}

}  // namespace

void add_remote_words(CLI::App& command, RemoteWords& words) {
  command.add_option("--ssh", words.ssh, "The ssh client, and options of it")->default_str("ssh");
  command.add_option("--remote-program", words.program, "This program on the other machine")
      ->default_str("runahead");
}

Outcome run_there(const SshWords& ssh, const std::vector<std::string>& arguments) {
  const Result<ChildEnd> end = run_child(ssh_command(ssh, arguments, false), {});
  if (!end) return refused(end.error());
  if (end->exit_code == kNotFoundThere) return refused(not_found_there(ssh));
  return {end->exit_code, {}};
}

Outcome attach_there(const RemoteAttach& command, const std::function<bool()>& stopped,
                     const std::function<Watched(const std::filesystem::path&, const NextFile&)>& watch) {
  std::optional<ScratchFolder> scratch;
  if (command.out.empty()) {
    scratch.emplace("runahead-attach");
    if (!scratch->folder()) return refused(scratch->folder().error());
  } else if (const Status possible = check_writable(Destination::kRecording, command.out); !possible) {
    return refused(possible.error());
  }
  const std::filesystem::path mirror =
      scratch ? *scratch->folder() /
                    recording_name_for(command.words.empty() ? command.ssh.address.pid : command.words[0])
              : std::filesystem::path(command.out);
  const std::filesystem::path joined =
      command.only_program ? std::filesystem::path() : free_name_beside(mirror, "joined");
  Result<Bridge> bridge = Bridge::start({.ssh = command.ssh,
                                         .words = command.words,
                                         .spool = command.spool,
                                         .mirror = mirror,
                                         .joined = joined,
                                         .output_to_stderr = command.json},
                                        stopped);
  if (!bridge) return refused(bridge.error());
  if (bridge->ended_early()) return nothing_recorded(*bridge->ended_early());
  bool given = false;
  const NextFile next_file =
      [&](const std::function<bool()>& wait_until) -> std::optional<std::filesystem::path> {
    if (given || !(wait_until ? bridge->wait_for_joined(wait_until) : bridge->joined_now()))
      return std::nullopt;
    given = true;
    return joined;
  };
  Watched watched = watch(mirror, next_file);
  const Result<std::optional<ChildEnd>> end =
      watched.to_the_end ? bridge->wait_for_end(stopped) : bridge->stop();
  std::error_code failed;
  if (!bridge->joined_now()) {
    std::filesystem::remove(joined, failed);  // it may have begun, without a row
  } else if (!command.out.empty()) {
    std::filesystem::rename(joined, mirror, failed);
    if (failed) return refused(file_error("recording", joined, "cannot be renamed: " + failed.message()));
  }
  if (!end) return refused(end.error());
  return outcome_of(*end, command, std::move(watched.outcome));
}

}  // namespace runahead::gui
