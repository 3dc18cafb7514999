// `runahead live`: starts a program and follows its recording, in the window or without it.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <thread>
#include <utility>

#include "gui/cli/programs/child_process.h"
#include "gui/cli/programs/follow.h"
#include "gui/cli/programs/recorded_program.h"
#include "gui/cli/programs/scratch_folder.h"
#include "gui/cli/subcommands.h"
#include "gui/cli/window_commands.h"
#include "instrumentation/link/file_follower.h"

namespace runahead::gui {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kBetweenStateChecks{2};

struct LiveCommand {
  std::string out, duration;
  bool headless = false, json = false;
  std::vector<std::string> words;
};

// A file's state, to see that a recorder has written its first bytes. A look at the lock of the file would
// take the lock for a moment, and a recorder that starts in this moment would fail.
struct FileState {
  std::uintmax_t size_bytes = 0;
  fs::file_time_type changed;
  friend bool operator==(const FileState&, const FileState&) = default;
};

FileState state_of(const fs::path& file) {
  std::error_code missing;
  FileState state{fs::file_size(file, missing), fs::last_write_time(file, missing)};
  return missing ? FileState{} : state;
}

// Waits until the recording has begun, or until the program has ended. `before`: the file's state before the
// program started.
void wait_for_recording(const Child& child, const fs::path& file, const FileState& before) {
  for (;;) {
    const FileState now = state_of(file);
    if ((now.size_bytes > 0 && now != before) || child.ended()) return;
    std::this_thread::sleep_for(kBetweenStateChecks);
  }
}

Outcome follow_headless(const LiveCommand& command, const fs::path& file, std::optional<Duration> duration) {
  const Result<std::unique_ptr<link::FileFollower>> follower = link::FileFollower::open(file);
  if (!follower) return refused(follower.error());
  const Result<Delays> delays = follow(**follower, file, {.duration = duration, .stopped = {}});
  if (!delays) return refused(delays.error());
  return write_followed(**follower, *delays, file.string(), command.json);
}

// The failure of a command is one line, so a failure of the program comes before a failure to watch it.
Outcome outcome_of(Outcome program, Outcome watched) {
  if (program.exit_code == 0) program.exit_code = watched.exit_code;
  if (program.message.empty()) program.message = std::move(watched.message);
  return program;
}

Outcome watch(const WindowEntry& window, const LiveCommand& command, const RecordedProgram& program,
              std::optional<Duration> duration) {
  const FileState before = state_of(program.file());
  const ChildOutput output = command.json ? ChildOutput::kStderr : ChildOutput::kStdout;
  const Result<std::unique_ptr<Child>> child = Child::start(program.words(), program.environment(), output);
  if (!child) return refused(child.error());
  wait_for_recording(**child, program.file(), before);
  Outcome watched;
  if (state_of(program.file()) != before) {
    watched = command.headless ? follow_headless(command, program.file(), duration)
                               : open_window_on(window, program.file(), duration);
  }
  const ChildEnd end = (*child)->wait();
  return outcome_of(command.out.empty() ? program.report_of_failure(end) : program.report(end),
                    std::move(watched));
}

Outcome live(const WindowEntry& window, const LiveCommand& command) {
  const Result<std::optional<Duration>> duration = parse_optional_duration(command.duration);
  if (!duration) return wrong_words(duration.error());
  if (!command.headless) {
    if (const Status possible = check_window(window); !possible) return refused(possible.error());
  }
  std::optional<ScratchFolder> scratch;
  if (command.out.empty()) {
    scratch.emplace("runahead-live");
    if (!scratch->folder()) return refused(scratch->folder().error());
  }
  const fs::path file =
      scratch ? *scratch->folder() / recording_name_for(command.words[0]) : fs::path(command.out);
  const Result<std::unique_ptr<RecordedProgram>> program =
      RecordedProgram::prepare(command.words, file.string());
  if (!program) return refused(program.error());
  return watch(window, command, **program, *duration);
}

}  // namespace

void add_live_command(CLI::App& app, const WindowEntry& window, Action& chosen) {
  CLI::App* command = app.add_subcommand(
      "live", "Start a program that uses CUDA or the public API and watch it: live -- COMMAND...");
  auto words = std::make_shared<LiveCommand>();
  command->add_option("-o,--output", words->out, "Keep the recording in this file");
  CLI::Option* headless =
      command->add_flag("--headless", words->headless, "Without a window: print what was recorded");
  command->add_option("--duration", words->duration,
                      "Watch for this time, in seconds (or 500ms, 2s); the program goes on");
  command->add_flag("--json", words->json, "One JSON object")->needs(headless);
  command->add_option("command", words->words, "The program and its arguments, after --")->required();
  command->callback(
      [words, &window, &chosen] { chosen = [words, &window] { return live(window, *words); }; });
}

}  // namespace runahead::gui
