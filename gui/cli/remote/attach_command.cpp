// `runahead attach`: lists the programs that record now, or follows one of them, in the window or without it.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "gui/cli/interrupt.h"
#include "gui/cli/output.h"
#include "gui/cli/programs/follow.h"
#include "gui/cli/programs/process_number.h"
#include "gui/cli/remote/remote_program.h"
#include "gui/cli/remote/several_sources.h"
#include "gui/cli/remote/ssh_address.h"
#include "gui/cli/subcommands.h"
#include "gui/cli/window_commands.h"
#include "instrumentation/base/posix_file.h"
#include "instrumentation/link/file_follower.h"
#include "instrumentation/link/program_link.h"
#include "instrumentation/recording/recording.h"

namespace runahead::gui {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kNobody =
    "no program of this user records now; start one with `runahead live` or `runahead record`\n";

struct AttachCommand {
  std::string source, out, duration, spool;
  std::vector<std::string> others;  // sources on the same timeline
  bool headless = false, json = false;
  std::vector<std::string> words;  // a program to start on another machine
  RemoteWords remote;
};

Outcome list_sources(bool json) {
  const std::vector<link::Program> programs = link::list_programs();
  if (json) {
    Json all = Json::array();
    for (const link::Program& program : programs) {
      all.push_back(
          {{"pid", program.pid}, {"recording", program.recording.string()}, {"command", program.command}});
    }
    return write_json({{"programs", std::move(all)}});
  }
  if (programs.empty()) return write_stdout(kNobody);
  std::vector<std::vector<std::string>> rows{{"pid", "recording", "command"}};
  for (const link::Program& program : programs)
    rows.push_back({std::to_string(program.pid), program.recording.string(), program.command});
  return write_stdout(aligned(rows, {false, true, true}));
}

// A recording that a program writes, with the file's name.
struct Source {
  fs::path recording;
  std::unique_ptr<link::FileFollower> follower;
};

Result<Source> source_of_program(const std::string& number) {
  const Result<pid_t> pid = parse_process_number(number);
  if (!pid) return pid.error();
  const Result<std::unique_ptr<link::ProgramLink>> program = link::ProgramLink::connect(*pid);
  if (!program) return program.error();
  Result<std::unique_ptr<link::FileFollower>> follower = (*program)->follow();
  if (!follower) return follower.error();
  return Source{(*program)->program().recording, std::move(*follower)};
}

Result<Source> source_of_file(const fs::path& file) {
  const bool written = link::is_being_written(file);
  Result<std::unique_ptr<link::FileFollower>> follower = link::FileFollower::open(file);
  if (!follower) return follower.error();
  if (!written) {
    return file_error("recording", file,
                      "no program is writing it; open it with `runahead " + file.string() + "`");
  }
  return Source{file, std::move(*follower)};
}

Result<Source> source_of(const std::string& word) {
  return is_process_number(word) ? source_of_program(word) : source_of_file(word);
}

Status check_copy(const AttachCommand& command, const Source& source) {
  if (command.out.empty()) return Ok{};
  if (is_same_file(command.out, source.recording))
    return file_error("recording", command.out, "is the recording itself; give another name");
  return check_writable(Destination::kRecording, command.out);
}

Outcome attach_headless(const AttachCommand& command, std::optional<Duration> duration) {
  const InterruptNote note;
  const Result<Source> source = source_of(command.source);
  if (!source) return refused(source.error());
  if (const Status possible = check_copy(command, *source); !possible) return refused(possible.error());
  const FollowOptions options{.duration = duration, .all_rows = !command.out.empty(), .stopped = [&note] {
                                return note.signal() != 0;
                              }};
  const Result<Delays> delays = follow(*source->follower, source->recording, options);
  if (!delays) return refused(delays.error());
  if (!command.out.empty()) {
    const Status saved = recordings::save_recording(source->follower->reader().trace(), command.out);
    if (!saved) return refused(saved.error());
  }
  return write_followed(*source->follower, *delays, source->recording.string(), command.json);
}

Outcome attach_window(const WindowEntry& window, const AttachCommand& command,
                      std::optional<Duration> duration) {
  if (const Status possible = check_window(window); !possible) return refused(possible.error());
  Result<Source> source = source_of(command.source);
  if (!source) return refused(source.error());
  source->follower.reset();  // the window follows the file itself
  return open_window_on(window, source->recording, duration);
}

// Follows a copy without a window. If `next_file` gives another file, it follows that one instead. `finish`
// (may be empty): called after following; after it, the file is whole.
Watched follow_copy(const AttachCommand& command, const fs::path& mirror, std::optional<Duration> duration,
                    const std::function<bool()>& stopped, const NextFile& next_file = {},
                    const std::function<void()>& finish = {}) {
  const auto begin = std::chrono::steady_clock::now();
  const auto is_over = [&] {
    return stopped() || (duration && std::chrono::steady_clock::now() - begin >= *duration);
  };
  const Result<std::unique_ptr<link::FileFollower>> follower = link::FileFollower::open(mirror);
  if (!follower) return {refused(follower.error())};
  std::optional<fs::path> next;
  const auto stopped_or_next = [&] {
    if (next_file && !next) next = next_file({});
    return next || stopped();
  };
  const Result<Delays> delays =
      follow(**follower, mirror, {.duration = duration, .stopped = stopped_or_next});
  if (!delays) return {refused(delays.error())};
  const bool ended = (*follower)->ended();
  // Processes that the program has started may record after its end.
  if (next_file && !next && ended) next = next_file(is_over);
  if (next) {
    if (duration) *duration -= std::min<Duration>(*duration, std::chrono::steady_clock::now() - begin);
    return follow_copy(command, *next, duration, stopped);
  }
  if (finish) {
    finish();
    while (!(*follower)->ended()) {
      if (const Result<bool> rest = (*follower)->poll(); !rest) return {refused(rest.error())};
    }
  }
  const std::string shown = command.out.empty() ? mirror.string() : command.out;
  return {write_followed(**follower, *delays, shown, command.json), ended && !is_over()};
}

// Watches SOURCE and the other sources on one timeline. `copy`: SOURCE is on another machine, and this is its
// copy here.
Watched watch_several(const WindowEntry& window, const AttachCommand& command,
                      std::optional<Duration> duration, const std::optional<fs::path>& copy,
                      const std::function<bool()>& stopped) {
  SeveralSources sources(command.remote, stopped);
  if (const Status added = copy ? sources.add_copy(*copy) : sources.add(command.source); !added)
    return {refused(added.error())};
  for (const std::string& other : command.others) {
    if (const Status added = sources.add(other); !added) return {refused(added.error())};
  }
  if (const Status joined = sources.join(command.out); !joined) return {refused(joined.error())};
  Watched watched;
  Status ended = Ok{};
  const auto finish = [&] { ended = sources.end(); };
  if (command.headless) {
    watched = follow_copy(command, sources.joined(), duration, stopped, {}, finish);
  } else {
    watched = {open_window_on(window, sources.joined(), duration)};
    finish();
  }
  if (ended) return watched;
  watched.to_the_end = false;
  if (watched.outcome.exit_code == 0) watched.outcome = refused(ended.error());
  return watched;
}

// Ctrl-C ends the following if there is no window. With a window, it ends this program as usual.
class Interrupt {
 public:
  explicit Interrupt(const AttachCommand& command) {
    if (command.headless) note_.emplace();
  }
  [[nodiscard]] bool came() const { return note_ && note_->signal() != 0; }

 private:
  std::optional<InterruptNote> note_;
};

// nullopt: the recording can be shown as the words ask.
std::optional<Outcome> why_no_view(const WindowEntry& window, const AttachCommand& command) {
  if (command.headless) return std::nullopt;
  if (command.json) return wrong_words("--json with a SOURCE needs --headless");
  if (const Status possible = check_window(window); !possible) return refused(possible.error());
  return std::nullopt;
}

// What can be known before a program is started on another machine.
Status check_others(const AttachCommand& command) {
  if (!command.out.empty()) {
    if (const Status possible = check_writable(Destination::kRecording, command.out); !possible)
      return possible;
  }
  std::vector<std::string> words = command.others;
  if (command.words.empty()) words.insert(words.begin(), command.source);
  return SeveralSources::check(words, command.out);
}

// SOURCE is a program on another machine.
Outcome attach_to_machine(const WindowEntry& window, const AttachCommand& command,
                          std::optional<Duration> duration) {
  const Result<SshAddress> address = parse_ssh_address(command.source);
  if (!address) return wrong_words(address.error());
  const SshWords ssh{*address, command.remote.ssh, command.remote.program};
  if (address->pid.empty() && command.words.empty()) {
    if (!command.others.empty()) {
      return wrong_words("'" + command.source +
                         "': --with needs a program: ssh://HOST/PID, or COMMAND after --");
    }
    std::vector<std::string> arguments{"attach"};
    if (command.json) arguments.emplace_back("--json");
    return run_there(ssh, arguments);
  }
  if (!address->pid.empty() && !command.words.empty())
    return wrong_words("'" + command.source + "': give a process number, or a program after --, not both");
  if (const std::optional<Outcome> why = why_no_view(window, command)) return *why;
  RemoteAttach remote{ssh, command.words, command.out, command.spool, command.json};
  const Interrupt interrupt(command);
  const auto stopped = [&interrupt] { return interrupt.came(); };
  if (!command.others.empty()) {
    remote.out.clear();  // -o is for the joined recording
    remote.only_program = true;
    if (const Status possible = check_others(command); !possible) return refused(possible.error());
    return attach_there(remote, stopped, [&](const fs::path& mirror, const NextFile&) {
      return watch_several(window, command, duration, mirror, stopped);
    });
  }
  return attach_there(remote, stopped, [&](const fs::path& mirror, const NextFile& next_file) {
    if (command.headless) return follow_copy(command, mirror, duration, stopped, next_file);
    return Watched{open_window_on(window, mirror, duration, [&] { return next_file({}); })};
  });
}

Outcome attach_several(const WindowEntry& window, const AttachCommand& command,
                       std::optional<Duration> duration) {
  if (const std::optional<Outcome> why = why_no_view(window, command)) return *why;
  if (const Status possible = check_others(command); !possible) return refused(possible.error());
  const Interrupt interrupt(command);
  return watch_several(window, command, duration, {}, [&interrupt] { return interrupt.came(); }).outcome;
}

Outcome attach(const WindowEntry& window, const AttachCommand& command) {
  const Result<std::optional<Duration>> duration = parse_optional_duration(command.duration);
  if (!duration) return wrong_words(duration.error());
  if (is_ssh_address(command.source)) return attach_to_machine(window, command, *duration);
  if (!command.words.empty())
    return wrong_words("a program after -- needs an address such as ssh://host; here, use `runahead live`");
  if (command.source.empty()) {
    if (!command.out.empty() || command.headless || *duration || !command.others.empty())
      return wrong_words("attach needs a SOURCE: a process number, or a file that a program writes");
    return list_sources(command.json);
  }
  if (!command.others.empty()) return attach_several(window, command, *duration);
  if (!command.headless && !command.out.empty()) return wrong_words("-o needs --headless");
  if (!command.headless && command.json) return wrong_words("--json with a SOURCE needs --headless");
  return command.headless ? attach_headless(command, *duration) : attach_window(window, command, *duration);
}

}  // namespace

void add_attach_command(CLI::App& app, const WindowEntry& window, Action& chosen) {
  CLI::App* command = app.add_subcommand(
      "attach", "Watch a program that records now; without SOURCE, list the programs that record");
  auto words = std::make_shared<AttachCommand>();
  command->add_option("source", words->source,
                      "A process number, a file that a program writes, or ssh://[user@]host[:port][/PID]");
  command->add_option("command", words->words, "With ssh://host: start this program there, after --");
  command->add_option("-o,--output", words->out,
                      "Save a copy of what was followed; needs --headless, except with ssh:// or --with");
  command
      ->add_option("--with", words->others,
                   "Another SOURCE on the same timeline; may be given again. ssh:// needs its /PID")
      ->type_name("SOURCE")
      ->allow_extra_args(false);
  command->add_flag("--headless", words->headless, "Without a window: print what was recorded");
  command->add_option("--duration", words->duration, "Watch for this time, in seconds (or 500ms, 2s)");
  command->add_flag("--json", words->json, "One JSON object");
  command->add_option("--spool", words->spool,
                      "With ssh://: the most that the recording may take on the other machine; then its "
                      "oldest rows are freed (default: 4G)");
  add_remote_words(*command, words->remote);
  command->callback(
      [words, &window, &chosen] { chosen = [words, &window] { return attach(window, *words); }; });
}

}  // namespace runahead::gui
