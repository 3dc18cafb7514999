// `runahead predict`: what a recorded run would do with a change, such as another barrier.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "gui/cli/interrupt.h"
#include "gui/cli/output.h"
#include "gui/cli/subcommands.h"
#include "instrumentation/base/format.h"
#include "instrumentation/import/load_any.h"
#include "instrumentation/predict/candidates.h"
#include "instrumentation/predict/prediction.h"
#include "instrumentation/predict/sweep.h"
#include "instrumentation/predict/timeline/predicted_trace.h"
#include "instrumentation/recording/recording.h"

namespace runahead::gui {
namespace {

using predict::Candidate;
using predict::Change;
using predict::Prediction;
using predict::Replay;
using Json = nlohmann::ordered_json;

struct PredictCommand {
  std::string file;
  std::vector<std::string> changes;
  std::string sweep, out;
  bool json = false;
};

// ---- JSON -------------------------------------------------------------------------------------------------

// null: the trace has no memory.
Json peak_json(const predict::Program& program, std::int64_t bytes) {
  return program.memories.empty() ? Json() : Json(bytes);
}

Json measured_json(const predict::Program& program, const predict::Measured& measured) {
  return {{"steps", measured.steps},
          {"length_ns", ns_from(measured.length)},
          {"steps_time_ns", ns_from(measured.steps_time)},
          {"steps_per_s", measured.steps_per_s()},
          {"blocked_ratio", measured.blocked_ratio()},
          {"peak_bytes", peak_json(program, measured.peak_bytes)},
          {"max_run_ahead_steps", measured.max_steps}};
}

Json outcome_json(const predict::Program& program, const predict::Outcome& outcome) {
  Json busy = Json::object(), peaks = Json::object();
  for (std::size_t i = 0; i < program.queues.size(); ++i) {
    const double all = static_cast<double>(outcome.steps_time.count()) * program.queues[i].servers;
    busy[program.queues[i].name] = all > 0 ? static_cast<double>(outcome.busy[i].count()) / all : 0.0;
  }
  for (std::size_t i = 0; i < program.memories.size(); ++i)
    peaks[program.memories[i].device] = outcome.peak_bytes[i];
  return {
      {"steps", outcome.steps},
      {"length_ns", ns_from(outcome.length)},
      {"steps_time_ns", ns_from(outcome.steps_time)},
      {"steps_per_s", outcome.steps_per_s()},
      {"settled_steps_per_s", outcome.settled_steps_per_s > 0 ? Json(outcome.settled_steps_per_s) : Json()},
      {"blocked_ratio", outcome.blocked_ratio()},
      {"peak_bytes", peak_json(program, outcome.total_peak_bytes())},
      {"max_run_ahead_steps", outcome.max_steps},
      {"max_run_ahead_ops", outcome.max_ops},
      {"max_run_ahead_bytes", program.settings.of_graph ? Json() : Json(outcome.max_bytes)},
      {"busy_ratio", busy},
      {"peak_bytes_by_device", peaks}};
}

Json prediction_json(const Prediction& prediction) {
  Json out = outcome_json(prediction.program, prediction.outcome);
  out["low"] = prediction.steps_per_s.low;
  out["high"] = prediction.steps_per_s.high;
  out["notes"] = prediction.program.notes;
  return out;
}

Json replay_json(const std::string& file, const Replay& replay) {
  return {{"file", file},
          {"measured", measured_json(replay.run().program, replay.run().measured)},
          {"replayed", outcome_json(replay.run().program, replay.replayed())},
          {"drift", replay.drift()},
          {"notes", replay.run().notes}};
}

// null: the trace has no memory.
Json candidate_json(const predict::Program& program, const Candidate& candidate) {
  Json changes = Json::array();
  for (const Change& change : candidate.changes) changes.push_back(to_string(change));
  const bool has_memory = !program.memories.empty();
  return {{"changes", changes},
          {"kind", predict::key_of(candidate.kind)},
          {"steps_per_s", candidate.steps_per_s},
          {"low", candidate.interval.low},
          {"high", candidate.interval.high},
          {"gain", candidate.gain},
          {"gain_low", candidate.gain_low},
          {"gain_high", candidate.gain_high},
          {"peak_bytes", peak_json(program, candidate.peak_bytes)},
          {"peak_change", has_memory ? Json(candidate.peak_change) : Json()}};
}

// ---- text -------------------------------------------------------------------------------------------------

std::vector<std::string> row(const std::string& name, double steps_per_s, const std::string& interval,
                             double blocked, std::optional<std::int64_t> peak, std::int64_t steps) {
  return {name,
          format_rate(steps_per_s),
          interval,
          format_percent(blocked),
          peak ? format_bytes(static_cast<double>(*peak)) : "not known",
          std::to_string(steps)};
}

std::optional<std::int64_t> peak(const Replay& replay, std::int64_t bytes) {
  return replay.run().program.memories.empty() ? std::nullopt : std::optional(bytes);
}

std::vector<std::string> row(const std::string& name, const Replay& replay, const predict::Outcome& outcome,
                             const std::string& interval) {
  return row(name, outcome.steps_per_s(), interval, outcome.blocked_ratio(),
             peak(replay, outcome.total_peak_bytes()), outcome.max_steps);
}

std::string interval_text(const predict::Interval& interval) {
  return format_rate(interval.low) + " to " + format_rate(interval.high);
}

std::vector<std::vector<std::string>> rows_of_run(const Replay& replay) {
  const predict::Measured& measured = replay.run().measured;
  return {{"", "steps", "interval", "blocked", "peak memory", "run-ahead, steps"},
          row("measured", measured.steps_per_s(), "", measured.blocked_ratio(),
              peak(replay, measured.peak_bytes), measured.max_steps),
          row("replayed", replay, replay.replayed(), "")};
}

std::string lines_of(const std::vector<std::string>& notes) {
  std::string out;
  for (const std::string& note : notes) out += "Note: " + note + "\n";
  return out;
}

std::string drift_text(const Replay& replay) {
  const std::string out = "The replay takes " + format_percent(replay.drift()) +
                          (replay.replayed().length < replay.run().measured.length ? " less" : " more") +
                          " time than the run did.\n";
  return out + lines_of(replay.run().notes);
}

std::string signed_percent(double ratio) { return (ratio > 0 ? "+" : "") + format_percent(ratio); }

// A word of a shell's command line.
std::string shell_word(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:.,/@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == word.npos) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string change_words(const Candidate& candidate) {
  std::string out;
  for (const Change& change : candidate.changes)
    out += (out.empty() ? "" : " --change ") + shell_word(to_string(change));
  return out;
}

// The changes are last, since names of kernels can be long.
std::string candidates_text(const Replay& replay, const std::vector<Candidate>& candidates) {
  if (candidates.empty())
    return "\nNo change that was tried gains 0.1 % in steps/s or saves 1 % of memory.\n";
  const bool has_memory = !replay.run().program.memories.empty();
  std::vector<std::vector<std::string>> rows{
      {"", "gain", "steps", "interval", "peak memory", "memory", "--change"}};
  for (const Candidate& candidate : candidates) {
    rows.push_back({std::to_string(rows.size()), signed_percent(candidate.gain),
                    format_rate(candidate.steps_per_s), interval_text(candidate.interval),
                    has_memory ? format_bytes(static_cast<double>(candidate.peak_bytes)) : "not known",
                    has_memory ? signed_percent(candidate.peak_change) : "", change_words(candidate)});
  }
  const std::vector<bool> left{false, false, false, false, false, false, true};
  return "\nWhat would help most, each change alone, compared with the replay:\n" + aligned(rows, left);
}

// ---- the command ------------------------------------------------------------------------------------------

Outcome not_trusted(const PredictCommand& command, const Replay& replay) {
  const std::string why = replay.replayed().stuck
                              ? "its replay comes to a wait that never ends"
                              : "its replay takes " + format_duration(replay.replayed().length) +
                                    " and the run took " + format_duration(replay.run().measured.length) +
                                    ": they differ by more than " + format_percent(predict::kMostDrift);
  return refused("'" + command.file + "': no prediction is made: " + why);
}

Outcome predict_changes(const PredictCommand& command, const trace::Trace& trace, const Replay& replay,
                        const std::vector<Change>& changes) {
  const Result<Prediction> prediction = replay.predict(changes, !command.out.empty());
  if (!prediction) return wrong_words(prediction.error());
  if (prediction->outcome.stuck)
    return refused("'" + command.file + "': with " + joined(changes) + " a wait never ends");
  if (!command.out.empty()) {
    const trace::Trace predicted =
        predict::predicted_trace(prediction->program, prediction->outcome, &trace, joined(changes));
    if (Status saved = recordings::save_recording(predicted, command.out); !saved)
      return refused(saved.error());
  }
  if (command.json) {
    Json out = replay_json(command.file, replay);
    out["changes"] = command.changes;
    out["predicted"] = prediction_json(*prediction);
    return write_json(out);
  }
  std::vector<std::vector<std::string>> rows = rows_of_run(replay);
  rows.push_back(row(changes.empty() ? "no change" : joined(changes), replay, prediction->outcome,
                     interval_text(prediction->steps_per_s)));
  return write_stdout(aligned(rows) + drift_text(replay) + lines_of(prediction->program.notes));
}

// Without a change: what would help most.
Outcome list_candidates(const PredictCommand& command, const Replay& replay, const InterruptNote& note) {
  const std::vector<Candidate> candidates =
      predict::rank_changes(replay, {.progress = until_interrupted(note)});
  if (note.signal() != 0) return {128 + note.signal(), "interrupted: nothing was predicted"};
  if (command.json) {
    const Result<Prediction> unchanged = replay.predict({});
    if (!unchanged) return wrong_words(unchanged.error());
    Json out = replay_json(command.file, replay);
    out["changes"] = Json::array();
    out["predicted"] = prediction_json(*unchanged);
    out["candidates"] = Json::array();
    for (const Candidate& candidate : candidates)
      out["candidates"].push_back(candidate_json(replay.run().program, candidate));
    return write_json(out);
  }
  return write_stdout(aligned(rows_of_run(replay)) + drift_text(replay) +
                      candidates_text(replay, candidates));
}

Outcome sweep(const PredictCommand& command, const Replay& replay, const std::vector<Change>& changes) {
  const Result<std::vector<predict::SweepPoint>> points = predict::sweep(replay, command.sweep, changes);
  if (!points) return wrong_words(points.error());
  const std::size_t knee = predict::knee_of(*points);
  if (command.json) {
    Json out = replay_json(command.file, replay);
    out["changes"] = command.changes;
    out["sweep"] = Json::array();
    for (const predict::SweepPoint& point : *points) {
      Json one{{"change", to_string(point.change)}};
      one.update(prediction_json(point.prediction));
      out["sweep"].push_back(one);
    }
    out["knee"] = to_string((*points)[knee].change);
    return write_json(out);
  }
  std::vector<std::vector<std::string>> rows = rows_of_run(replay);
  for (std::size_t i = 0; i < points->size(); ++i) {
    const predict::SweepPoint& point = (*points)[i];
    rows.push_back(row(to_string(point.change) + (i == knee ? " (knee)" : ""), replay,
                       point.prediction.outcome, interval_text(point.prediction.steps_per_s)));
  }
  return write_stdout(aligned(rows) + drift_text(replay) +
                      lines_of((*points)[knee].prediction.program.notes) + predict::plot(*points, knee));
}

Outcome predict_file(const PredictCommand& command) {
  std::vector<Change> changes;
  for (const std::string& text : command.changes) {
    const Result<Change> change = predict::parse_change(text);
    if (!change) return wrong_words(change.error());
    changes.push_back(*change);
  }
  if (!command.sweep.empty()) {
    if (const Status status = predict::check_sweep(command.sweep); !status)
      return wrong_words(status.error());
  }
  const InterruptNote note;
  const Result<trace::Trace> trace = importers::load_checked(command.file, until_interrupted(note));
  if (note.signal() != 0) return {128 + note.signal(), "interrupted: nothing was predicted"};
  if (!trace) return refused(trace.error());
  warn_of_losses(command.file, *trace);
  const Result<Replay> replay = Replay::of(*trace);
  if (!replay) return refused("'" + command.file + "' cannot be replayed: " + replay.error().message);
  if (!replay->trusted()) return not_trusted(command, *replay);
  if (!command.sweep.empty()) return sweep(command, *replay, changes);
  if (changes.empty() && command.out.empty()) return list_candidates(command, *replay, note);
  return predict_changes(command, *trace, *replay, changes);
}

std::string keys_text() {
  std::string out = "Changes:\n";
  std::vector<std::vector<std::string>> rows;
  for (const predict::ChangeKey& key : predict::change_keys())
    rows.push_back({"  " + std::string(key.key) + "=" + std::string(key.values), std::string(key.sentence)});
  return out + aligned(rows, {true, true});
}

}  // namespace

void add_predict_command(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand(
      "predict", "Predict what a recorded run would do with a change, or rank changes: steps/s, memory");
  auto words = std::make_shared<PredictCommand>();
  command->add_option("file", words->file, "A recording of a run")->required();
  command
      ->add_option(
          "--change", words->changes,
          "KEY=VALUE, such as barrier=none; may be given again. Without a change: what would help most")
      ->allow_extra_args(false);
  CLI::Option* sweep =
      command->add_option("--sweep", words->sweep, "KEY=A..B, such as window=1..32: one prediction for each");
  command->add_option("-o,--output", words->out, "Write the predicted timeline as a recording")
      ->excludes(sweep);
  command->add_flag("--json", words->json, "One JSON object");
  command->footer(keys_text());
  command->callback([=, &chosen] { chosen = [=] { return predict_file(*words); }; });
}

}  // namespace runahead::gui
