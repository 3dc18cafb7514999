// `runahead live`: starts a program and follows its recording, in the window or without it.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <thread>
#include <utility>

#include "gui/cli/output.h"
#include "gui/cli/programs/child_process.h"
#include "gui/cli/programs/follow.h"
#include "gui/cli/programs/joiner.h"
#include "gui/cli/programs/recorded_program.h"
#include "gui/cli/subcommands.h"
#include "gui/cli/window_commands.h"
#include "instrumentation/base/posix_file.h"
#include "instrumentation/base/scratch_folder.h"
#include "instrumentation/link/file_follower.h"
#include "instrumentation/record/files/file_names.h"

namespace runahead::gui {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kBetweenStateChecks{2};

struct LiveCommand {
  std::string out, duration;
  bool headless = false, json = false;
  std::vector<std::string> words;
};

struct Files {
  fs::path recording;  // of the first process
  fs::path joined;     // of all processes, if there are several
};

// Waits until the recorder has written its first bytes. False: the program has ended before. A look at the
// lock of the file would take the lock for a moment, and a recorder that starts in this moment would fail.
bool wait_for_recording(const Child& child, const fs::path& file, fs::file_time_type since) {
  for (;;) {
    const bool ended = child.ended();
    std::error_code missing;
    if (fs::file_size(file, missing) > 0 && !missing && fs::last_write_time(file, missing) >= since)
      return true;
    if (ended) return false;
    std::this_thread::sleep_for(kBetweenStateChecks);
  }
}

std::string shown_name(const LiveCommand& command, const fs::path& file) {
  return command.out.empty() ? file.string() : command.out;
}

// Follows the joined recording without a window, and prints what arrived.
Outcome follow_joined(const LiveCommand& command, const fs::path& file, Child& child,
                      std::optional<Duration> duration) {
  const Result<std::unique_ptr<link::FileFollower>> follower = link::FileFollower::open(file);
  if (!follower) return refused(follower.error());
  const Result<Delays> delays = follow(
      **follower, file, {.duration = duration, .stopped = [&] { return child.interrupted_after_end(); }});
  if (!delays) return refused(delays.error());
  return write_followed(**follower, *delays, shown_name(command, file), command.json);
}

// Follows the recording of the program without a window. If a second process records, it follows the joined
// recording instead.
Outcome follow_program(const LiveCommand& command, const Files& files, Child& child, Joiner& joiner,
                       std::optional<Duration> duration) {
  const auto begin = std::chrono::steady_clock::now();
  const Result<std::unique_ptr<link::FileFollower>> follower = link::FileFollower::open(files.recording);
  if (!follower) return refused(follower.error());
  bool several = false;
  const auto stopped = [&] { return several = joiner.processes_now() == Processes::kMany; };
  const Result<Delays> delays =
      follow(**follower, files.recording, {.duration = duration, .stopped = stopped});
  if (!delays) return refused(delays.error());
  if (!several && (*follower)->ended()) {  // processes that the program has started may record after its end
    const Result<Processes> others = joiner.wait_for_processes();
    if (!others) return refused(others.error());
    several = *others == Processes::kMany;
  }
  if (!several)
    return write_followed(**follower, *delays, shown_name(command, files.recording), command.json);
  if (duration) *duration -= std::min<Duration>(*duration, std::chrono::steady_clock::now() - begin);
  return follow_joined(command, files.joined, child, duration);
}

// The failure of a command is one line, so a failure of the program comes before a failure to watch it.
Outcome outcome_of(Outcome program, Outcome watched) {
  if (program.exit_code == 0) program.exit_code = watched.exit_code;
  if (program.message.empty()) program.message = std::move(watched.message);
  return program;
}

// Follows one of the two files, in the window or without it.
Outcome follow_file(const WindowEntry& window, const LiveCommand& command, const Files& files, Child& child,
                    Joiner& joiner, Processes processes, std::optional<Duration> duration) {
  const bool joined = processes == Processes::kMany;
  if (command.headless && joined) return follow_joined(command, files.joined, child, duration);
  if (command.headless) return follow_program(command, files, child, joiner, duration);
  const fs::path& file = joined ? files.joined : files.recording;
  return open_window_on(window, file, duration, [&, shown = joined]() mutable -> std::optional<fs::path> {
    if (shown || joiner.processes_now() != Processes::kMany) return std::nullopt;
    shown = true;
    return files.joined;
  });
}

// The joined recording takes the place of the recordings that are whole in it. The others stay: that of a
// process that was killed, for example.
Outcome keep_joined(const RecordedProgram& program, const Files& files, Child& child, Joiner& joiner) {
  const Result<JoinedRecordings> joined = joiner.wait([&] { return child.interrupted_after_end(); });
  std::error_code failed;
  if (!joined || joined->processes == 0) {
    fs::remove(files.joined, failed);
    return joined ? success() : refused(joined.error());
  }
  std::size_t kept = 0;
  for (const fs::path& recording : program.recordings()) {
    const bool whole = std::ranges::find(joined->whole, recording) != joined->whole.end();
    kept += whole ? 0 : 1;
    if (whole && recording != files.recording) fs::remove(recording, failed);
    if (!whole && recording == files.recording)
      fs::rename(recording, free_name_beside(recording, "first"), failed);
  }
  fs::rename(files.joined, files.recording, failed);
  if (failed) return refused(file_error("recording", files.joined, "cannot be renamed: " + failed.message()));
  if (kept == 0) return success();
  return {0, counted(kept, "recording") + " of processes that did not end well " +
                 (kept == 1 ? "stays" : "stay") + " beside it"};
}

Outcome watch(const WindowEntry& window, const LiveCommand& command, const RecordedProgram& program,
              const Files& files, std::optional<Duration> duration) {
  const fs::file_time_type since = now_in_file_times();
  const ChildOutput output = command.json ? ChildOutput::kStderr : ChildOutput::kStdout;
  const Result<std::unique_ptr<Child>> child = Child::start(program.words(), program.environment(), output);
  if (!child) return refused(child.error());
  Result<Joiner> joiner = Joiner::start({.notes = program.notes(),
                                         .joined = files.joined,
                                         .command = command_text(command.words),
                                         .program = (*child)->pid(),
                                         .since = since});
  if (!joiner) return refused(joiner.error());
  const Result<Processes> processes = joiner->wait_for_processes();
  Outcome watched;
  if (!processes) {
    watched = refused(processes.error());
  } else if (*processes == Processes::kMany ||
             (*processes == Processes::kOne && wait_for_recording(**child, files.recording, since))) {
    watched = follow_file(window, command, files, **child, *joiner, *processes, duration);
  }
  const ChildEnd end = (*child)->wait();
  if (command.out.empty()) return outcome_of(program.report_of_failure(end), std::move(watched));
  const Outcome kept = keep_joined(program, files, **child, *joiner);
  Outcome reported = program.report(end);
  if (!kept.message.empty()) reported.message += "; " + kept.message;
  if (reported.exit_code == 0) reported.exit_code = kept.exit_code;
  return outcome_of(std::move(reported), std::move(watched));
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
  const fs::path& recording = (*program)->file();
  return watch(window, command, **program, {recording, free_name_beside(recording, "joined")}, *duration);
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
