// `runahead run`: runs and measures a workload without a window, and records it on request.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "engine/device/device.h"
#include "engine/engine.h"
#include "gui/cli/interrupt.h"
#include "gui/cli/out_of_memory.h"
#include "gui/cli/output.h"
#include "gui/cli/run_report.h"
#include "gui/cli/subcommands.h"
#include "gui/cli/terminal/progress_line.h"
#include "gui/cli/words.h"
#include "gui/session/session.h"
#include "gui/session/session_facts.h"
#include "gui/session/trace_times.h"
#include "instrumentation/analysis/barrier_segments.h"
#include "instrumentation/base/format.h"
#include "instrumentation/record/files/record_request.h"

namespace runahead::gui {
namespace {

using samples::Runner;
using samples::RunState;

struct RunCommand {
  RunWords words;
  std::vector<std::string> switches;  // each is TIME:POLICY
  std::string duration;               // empty: the run lasts until the workload ends by itself
  int repeat = 1;
  std::optional<std::string> record;
  LimitWords limits;
  bool no_cupti = false;
  bool json = false;
};

// The file and options of the run's recording. If `file` is empty, the run is not recorded.
struct RecordPlace {
  std::string file;
  record::FileLimits limits;
  bool cupti = true;
};

// When the barrier changes during a run, and when the run ends. Times count from the run's first enqueue, not
// from its start, because the run may spend time on touching its memory before the first enqueue.
struct Schedule {
  struct Switch {
    Duration at{};
    BarrierPolicy barrier;
  };
  std::vector<Switch> switches;  // in the order of time
  std::optional<Duration> duration;
};

// wait_for_end() polls at this period. A shorter period would find nothing new, because the collector makes a
// batch of rows every 10 ms. This polling does not slow the run measurably.
constexpr std::chrono::milliseconds kLook{10};

// The progress line changes five times a second: more often, nobody could read it.
constexpr std::chrono::milliseconds kShowProgress{200};

// Returns a text such as "increment: 3.2 s of 14 s  1,240 steps/s  peak 45 MB  12 steps ahead".
std::string progress_text(const Runner& runner, const Schedule& schedule) {
  const samples::RunReport report = runner.report();
  const auto time = [](double s) {
    return format_duration(std::chrono::duration_cast<Duration>(std::chrono::duration<double>(s)));
  };
  std::string text = report.workload + ": " + time(report.wall_s);
  if (schedule.duration) text += " of " + format_duration(*schedule.duration);
  text += "  " + counted(static_cast<std::uint64_t>(report.steps), "step");
  if (report.steps_per_s > 0) text += "  " + format_rate(report.steps_per_s);
  if (report.peak_bytes > 0) text += "  peak " + format_bytes(report.peak_bytes);
  const engine::EngineStats stats = runner.engine_stats();
  return text + "  " + counted(static_cast<std::uint64_t>(stats.in_flight_ops), "op") + " ahead";
}

// Polls the session and carries out the schedule until the run ends or a signal comes. Returns the signal; 0:
// the run ended.
int wait_for_end(Session& session, const Schedule& schedule) {
  const InterruptNote note;
  std::size_t next = 0;
  bool stopped = false;
  ProgressLine progress;
  auto next_progress = std::chrono::steady_clock::now() + kShowProgress;
  while (session.live() && note.signal() == 0) {
    if (schedule.duration && !stopped) {
      Runner& runner = *session.runner();
      const Duration elapsed =
          std::chrono::duration_cast<Duration>(std::chrono::duration<double>(runner.report().wall_s));
      for (; next < schedule.switches.size() && schedule.switches[next].at <= elapsed; ++next)
        runner.set_barrier(schedule.switches[next].barrier);
      stopped = *schedule.duration <= elapsed;
      if (stopped) runner.stop();
    }
    session.poll();
    if (progress.possible() && std::chrono::steady_clock::now() >= next_progress) {
      progress.show(progress_text(*session.runner(), schedule));
      next_progress = std::chrono::steady_clock::now() + kShowProgress;
    }
    std::this_thread::sleep_for(kLook);  // the loop sees a signal after at most this time
  }
  return session.live() ? note.signal() : 0;
}

Outcome interrupted(Session& session, int signal, const RecordPlace& place) {
  const std::int64_t steps = session.runner()->report().steps;
  session.stop();
  const Status recorded = session.stop_recording();
  std::string message = "interrupted after " + std::to_string(steps) + (steps == 1 ? " step" : " steps");
  if (!place.file.empty() && recorded)
    message += "; the recording so far is whole: " + files_in_words(session.recorded_files());
  if (!recorded) message += "; " + recorded.error().message;
  return {128 + signal, std::move(message)};
}

bool simulated(const Runner& runner) {
  const std::vector<engine::Device*> devices = runner.devices();
  return std::any_of(devices.begin(), devices.end(), [](const engine::Device* d) { return d->simulated(); });
}

// Makes one run. Returns when the run has ended and its recording file is finished.
Outcome run_once(const samples::RunConfig& config, const RecordPlace& place, const Schedule& schedule,
                 FinishedRun& out) {
  Session session({.cupti = place.cupti});
  if (!place.file.empty()) {
    if (const Status asked = session.start_recording(place.file, place.limits); !asked)
      return refused(asked.error());
  }
  if (const auto error = session.start(config)) {
    return error->usage ? wrong_words(error->error) : refused(error->error);
  }
  if (const int signal = wait_for_end(session, schedule); signal != 0)
    return interrupted(session, signal, place);
  out.device = device_names(config);
  out.simulated = simulated(*session.runner());
  Result<samples::RunReport> report = session.runner()->wait();
  session.settle();
  const Status recorded = session.stop_recording();
  if (!report) return refused(report.error());
  if (!recorded) return refused(recorded.error());
  out.recorded = session.recorded_files();
  out.gpu = session.gpu_activity();
  out.report = std::move(*report);
  add_trace_times(out.report, session.trace());
  out.lost = session.trace().losses();
  TimeRange all = session.trace().extent();
  // The range is half-open. Without the added 1 ns, the range would not include a wait of length zero at the
  // end of the trace.
  all.end += Duration{1};
  out.waits = analysis::wait_totals(session.trace(), all);
  out.parts = figures_by_part(session.trace());
  if (schedule.duration) out.segments = analysis::barrier_segments(session.trace());
  return success();
}

// Returns the file to record into: the file that the environment requests (`runahead record`), or otherwise
// the file of --record. If both are set, only the environment's file is written, and a message says so.
// Programs that use the API behave in the same way (docs/api.md).
Result<RecordPlace> record_place(const RunCommand& command) {
  if (command.record && command.record->empty()) return Error{"--record needs the name of a file"};
  if (!command.record && (!command.limits.rotate.empty() || !command.limits.keep_last.empty()))
    return Error{"--rotate and --keep-last need a recording: add --record FILE"};
  const Result<record::FileLimits> limits =
      record::parse_limits(command.limits.rotate, command.limits.keep_last);
  if (!limits) return limits.error();
  record::decline_injection();
  const Result<std::optional<record::RecordRequest>> request = record::take_record_request();
  if (!request) return request.error();
  if (!*request) return command.record ? RecordPlace{*command.record, *limits} : RecordPlace{};
  if (command.record && !record::leave_note(record::NoteKind::kOwnFile, *command.record)) {
    write_stderr_line("'" + *command.record + "' is not written: " + record::kRecordVariable + " names '" +
                      (*request)->file.string() + "', and all is recorded there");
  }
  return RecordPlace{(*request)->file.string(), (*request)->limits};
}

// Parses text such as "4s:wait_to_read".
Result<Schedule::Switch> parse_switch(const std::string& word) {
  const std::size_t colon = word.find(':');
  if (colon == std::string::npos)
    return Error{"--switch '" + word + "' is no TIME:POLICY, such as 4s:wait_to_read"};
  const Result<Duration> at = parse_duration(word.substr(0, colon));
  if (!at) return Error{"--switch '" + word + "': " + at.error().message};
  const Result<BarrierPolicy> barrier = parse_barrier(word.substr(colon + 1));
  if (!barrier) return Error{"--switch '" + word + "': " + barrier.error().message};
  return Schedule::Switch{*at, *barrier};
}

Result<Schedule> parse_schedule(const RunCommand& command) {
  Schedule out;
  for (const std::string& word : command.switches) {
    const Result<Schedule::Switch> next = parse_switch(word);
    if (!next) return next.error();
    if (!out.switches.empty() && next->at <= out.switches.back().at)
      return Error{"--switch '" + word + "' is not later than the one before it: give them in order"};
    out.switches.push_back(*next);
  }
  if (command.duration.empty()) {
    if (out.switches.empty()) return out;
    return Error{"--switch needs --duration: without it, a run may end before it is switched"};
  }
  const Result<Duration> duration = parse_duration(command.duration);
  if (!duration) return Error{"--duration: " + duration.error().message};
  if (*duration <= Duration::zero()) return Error{"--duration '" + command.duration + "' is no time"};
  if (!out.switches.empty() && out.switches.back().at >= *duration)
    return Error{"--switch '" + command.switches.back() + "' is not before the end, --duration " +
                 command.duration};
  out.duration = *duration;
  return out;
}

Outcome run_workload(const RunCommand& command) {
  advise_out_of_memory("wait more often, take smaller sizes");
  if (command.repeat > 1 && command.record) {
    return wrong_words("--record takes one run and --repeat asks for " + std::to_string(command.repeat) +
                       ": leave one of them out");
  }
  if (command.words.workload.empty() && command.words.exercise == 0)
    return wrong_words("workload is required (see `runahead list`), or --exercise with a number");
  Result<samples::RunConfig> config = run_config(command.words);
  if (!config) return wrong_words(config.error());
  const Result<Schedule> schedule = parse_schedule(command);
  if (!schedule) return wrong_words(schedule.error());
  config->endless = schedule->duration.has_value();

  Result<RecordPlace> place = record_place(command);
  if (!place) return wrong_words(place.error());
  place->cupti = !command.no_cupti;
  std::vector<FinishedRun> runs;
  for (int i = 0; i < command.repeat; ++i) {
    FinishedRun run;
    if (Outcome outcome =
            run_once(*config, i == 0 ? *place : RecordPlace{.cupti = place->cupti}, *schedule, run);
        outcome.exit_code != 0)
      return outcome;
    run.exercise = command.words.exercise;
    runs.push_back(std::move(run));
  }
  const FinishedRun whole = median_run(runs);
  if (!command.json) return write_stdout(report_text(whole, runs.size()));
  nlohmann::ordered_json object = report_json(whole);
  if (command.repeat > 1) {
    object["runs"] = nlohmann::ordered_json::array();
    for (const FinishedRun& run : runs) object["runs"].push_back(report_json(run));
  }
  return write_json(object);
}

}  // namespace

void add_run_command(CLI::App& app, Action& chosen) {
  CLI::App* command =
      app.add_subcommand("run", "Run a workload without a window and print what was measured");
  auto run = std::make_shared<RunCommand>();
  command->add_option("workload", run->words.workload, "Its name (see `runahead list`)");
  add_run_words(*command, run->words);
  command->add_option("--repeat", run->repeat, "Run this many times and print the medians")
      ->check(whole_number_between(1, 10000));
  command->add_option("--switch", run->switches, "Change the barrier at a time: 4s:wait_to_read; repeatable")
      ->type_name("TIME:POLICY");
  command->add_option("--duration", run->duration, "Take steps until this time has passed: 14s");
  command->add_option("--record", run->record, "Write a .runahead recording while it runs");
  add_limit_words(*command, run->limits);
  command->add_flag("--no-cupti", run->no_cupti,
                    "On a GPU: record the engine's ops only, not the GPU's own activity");
  command->add_flag("--json", run->json, "One JSON object");
  command->callback([run, &chosen] { chosen = [run] { return run_workload(*run); }; });
}

}  // namespace runahead::gui
