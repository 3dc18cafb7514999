// `runahead explain`: says what a run's time was made of: synchronisations, idle time of devices, the
// critical path, and findings.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>

#include "gui/cli/interrupt.h"
#include "gui/cli/output.h"
#include "gui/cli/subcommands.h"
#include "gui/cli/terminal/text_table.h"
#include "instrumentation/base/format.h"
#include "instrumentation/causes/rank_report.h"
#include "instrumentation/import/load_any.h"
#include "instrumentation/merge/join_traces.h"
#include "instrumentation/recording/recording.h"

namespace runahead::gui {
namespace {

using causes::Explanation;
using causes::IdleCause;
using causes::PathClass;
using causes::SyncGroup;
using causes::SyncPart;
using Json = nlohmann::ordered_json;

// The text shows the first rows of each table; JSON has all.
constexpr std::size_t kMostRows = 12, kMostFindings = 10, kMostPathNames = 5, kMostStreams = 5;
constexpr std::size_t kMostSteps = 5, kMostFindingsOfRank = 3;
constexpr std::size_t kPlaceColumns = 44, kWorkNameColumns = 36;

double ratio(Duration part, Duration all) {
  return all == Duration{} ? 0 : static_cast<double>(part.count()) / static_cast<double>(all.count());
}

// ---- JSON -------------------------------------------------------------------------------------------------

Json idle_json(const causes::IdleParts& parts) {
  Json idle = Json::object();
  for (std::size_t i = 0; i < causes::kIdleCauseCount; ++i) {
    const auto cause = static_cast<IdleCause>(i);
    if (parts.of(cause) != Duration{}) idle[std::string(key_of(cause))] = ns_from(parts.of(cause));
  }
  return idle;
}

Json step_idle_json(const causes::StepIdle& steps) {
  if (steps.count == 0) return {};
  return {{"idle_ns", ns_from(steps.mean.total())},
          {"idle", idle_json(steps.mean)},
          {"worst_step", steps.worst},
          {"worst_from_ns", ns_from(steps.worst_range.begin)},
          {"worst_to_ns", ns_from(steps.worst_range.end)},
          {"worst_idle_ns", ns_from(steps.worst_idle.total())},
          {"worst_idle", idle_json(steps.worst_idle)}};
}

Json device_json(const causes::DeviceExplanation& device) {
  const causes::IdleReport& report = device.report;
  const Duration range = report.range.duration();
  Json streams = Json::array();
  for (const causes::StreamExplanation& stream : device.streams) {
    streams.push_back(
        {{"name", stream.name}, {"busy_ratio", ratio(stream.busy, range)}, {"idle", idle_json(stream.idle)}});
  }
  return {{"name", device.name},
          {"simulated", device.simulated},
          {"busy_ratio", ratio(report.busy, range)},
          {"idle_ratio", ratio(report.idle.total(), range)},
          {"idle", idle_json(report.idle)},
          {"gaps", report.gap_count},
          {"per_step", step_idle_json(device.per_step)},
          {"streams", streams},
          {"more_streams", device.more_streams},
          {"communication_ns", ns_from(device.communication.total)},
          {"hidden_communication_ns", ns_from(device.communication.hidden)},
          {"exposed_communication_ns", ns_from(device.communication.exposed)}};
}

Json synchronisation_json(const SyncGroup& group) {
  Json out{{"call", group.call},
           {"place", group.place},
           {"explicit", group.is_explicit},
           {"count", group.count},
           {"blocked_ns", ns_from(group.parts.total())}};
  for (std::size_t i = 0; i < causes::kSyncPartCount; ++i) {
    const auto part = static_cast<SyncPart>(i);
    out[std::string(key_of(part)) + "_ns"] = ns_from(group.parts.of(part));
  }
  out["awaited"] = group.awaited;
  out["stream"] = group.stream;
  out["idle_after_ns"] = ns_from(group.idle_after);
  out["inferred"] = group.inferred;
  return out;
}

Json finding_json(const causes::Finding& finding, std::size_t steps) {
  return {
      {"rule", finding.rule},
      {"sentence", finding.sentence},
      {"help", finding.help},
      {"count", finding.count},
      {"cost_ns", ns_from(finding.cost)},
      {"per_step_ns", steps == 0 ? Json() : Json(ns_from(finding.cost) / static_cast<std::int64_t>(steps))},
      {"from_ns", ns_from(finding.range.begin)},
      {"to_ns", ns_from(finding.range.end)}};
}

Json path_times_json(const causes::PathTimes& times) {
  Json path = Json::object();
  for (std::size_t i = 0; i < causes::kPathClassCount; ++i)
    path[std::string(key_of(static_cast<PathClass>(i)))] = ns_from(times[i]);
  return path;
}

void put_path(const causes::CriticalPath& path, Json& out) {
  out["critical_path"] = path_times_json(path.times);
  Json names = Json::array(), steps = Json::array();
  for (const causes::PathName& entry : path.names) {
    names.push_back({{"class", key_of(entry.path_class)},
                     {"name", entry.name},
                     {"ns", ns_from(entry.time)},
                     {"count", entry.count}});
  }
  for (const causes::PathStep& step : path.steps) {
    steps.push_back({{"from_ns", ns_from(step.range.begin)}, {"to_ns", ns_from(step.range.end)}});
    steps.back().update(path_times_json(step.times));
  }
  out["critical_path_names"] = names;
  out["critical_path_more"] = {{"names", path.more_names}, {"ns", ns_from(path.more_time)}};
  out["critical_path_steps"] = steps;
}

Json explanation_json(const Explanation& all) {
  Json devices = Json::array(), synchronisations = Json::array(), findings = Json::array();
  for (const auto& device : all.devices) devices.push_back(device_json(device));
  for (const SyncGroup& group : all.synchronisations) synchronisations.push_back(synchronisation_json(group));
  for (const auto& finding : all.findings) findings.push_back(finding_json(finding, all.steps.count()));
  const Json median = all.steps.count() == 0 ? Json() : Json(ns_from(all.steps.median()));
  Json out{{"from_ns", ns_from(all.range.begin)},
           {"to_ns", ns_from(all.range.end)},
           {"steps", {{"count", all.steps.count()}, {"median_ns", median}}},
           {"devices", devices},
           {"synchronisations", synchronisations},
           {"blocked_ratio", all.blocked_ratio},
           {"attributed_ratio", all.attributed_ratio()}};
  put_path(all.path, out);
  out["findings"] = findings;
  out["inferred_edges"] = all.edges.inferred;
  out["recorded_edges"] = all.edges.recorded;
  out["to_record"] = all.to_record;
  return out;
}

// ---- text -------------------------------------------------------------------------------------------------

// One line for each stream that worked, if there are several.
void add_streams(ScreenText& out, const causes::DeviceExplanation& device) {
  if (device.streams.size() < 2) return;
  const Duration range = device.report.range.duration();
  std::vector<TextRow> rows;
  for (const causes::StreamExplanation& stream : device.streams) {
    if (rows.size() == kMostStreams) break;
    const IdleCause cause = stream.idle.main_cause();
    const std::string why =
        stream.idle.of(cause) == Duration{} ? "" : "idle: " + std::string(sentence_of(cause));
    rows.push_back({"  " + stream.name, "busy " + format_percent(ratio(stream.busy, range)), why,
                    why.empty() ? "" : format_percent(ratio(stream.idle.of(cause), range))});
  }
  add_table(out,
            {{.left = true, .least = 12, .most = kWorkNameColumns + 2},
             {.left = true},
             {.left = true, .least = 16},
             {}},
            rows, false);
  const std::size_t more = device.streams.size() - rows.size() + device.more_streams;
  if (more > 0) out += "  and " + counted(more, "more stream") + "\n";
}

std::string communication_text(const causes::DeviceExplanation& device) {
  const causes::CommunicationTimes& times = device.communication;
  if (times.count == 0) return "";
  return "  communication: " + format_duration(times.total) + ", of which " + format_duration(times.hidden) +
         " beside kernels and " + format_duration(times.exposed) + " with nothing else\n";
}

std::string step_idle_text(const causes::StepIdle& steps) {
  if (steps.count == 0) return "";
  return "  idle per step: " + format_duration(steps.mean.total()) + " on average, " +
         format_duration(steps.worst_idle.total()) + " in step " + std::to_string(steps.worst) + " (" +
         std::string(sentence_of(steps.worst_idle.main_cause())) + ")\n";
}

void add_devices(ScreenText& out, const Explanation& all) {
  for (const auto& device : all.devices) {
    const causes::IdleReport& report = device.report;
    const Duration range = report.range.duration();
    out += "\n";
    out.add_paragraph(device.name + (device.simulated ? " (simulated)" : "") + ": busy " +
                          format_percent(ratio(report.busy, range)) + ", idle " +
                          format_percent(ratio(report.idle.total(), range)),
                      2, Tone::kHeading);
    std::vector<std::pair<Duration, IdleCause>> causes;
    for (std::size_t i = 0; i < causes::kIdleCauseCount; ++i) {
      const auto cause = static_cast<IdleCause>(i);
      if (report.idle.of(cause) != Duration{}) causes.emplace_back(report.idle.of(cause), cause);
    }
    std::ranges::sort(causes, std::greater<>());
    std::vector<TextRow> rows;
    for (const auto& [time, cause] : causes) {
      rows.push_back({"  idle: " + std::string(sentence_of(cause)), format_duration(time),
                      format_percent(ratio(time, range))});
    }
    add_table(out, {{.left = true, .least = 24}, {}, {}}, rows, false);
    out.add_lines(step_idle_text(device.per_step) + communication_text(device), 2);
    add_streams(out, device);
  }
}

std::string evidence_text(const SyncGroup& group) {
  if (group.awaited.empty()) return "";
  if (group.inferred == 0) return "recorded";
  return group.recorded == 0 ? "inferred" : "in part inferred";
}

void add_synchronisations(ScreenText& out, const Explanation& all) {
  if (all.synchronisations.empty()) {
    out += "\nNo synchronisations.\n";
    return;
  }
  out += "\n";
  out.add_paragraph("Synchronisations: " + format_duration(all.blocked.total()) + " blocked (" +
                        format_percent(all.blocked_ratio) + " of the main thread's time); the cause of " +
                        format_percent(all.attributed_ratio()) + " of it is known",
                    2);
  std::vector<TextRow> rows{{"  call", "place", "count", "blocked", "running", "copying", "queued",
                             "finished", "wake-up", "unknown", "idle after", "waited for", "stream",
                             "evidence"}};
  for (const SyncGroup& group : all.synchronisations) {
    if (rows.size() > kMostRows) break;
    TextRow row{"  " + group.call, group.place, std::to_string(group.count),
                format_duration(group.parts.total())};
    for (const Duration part : group.parts.times)
      row.emplace_back(part == Duration{} ? "" : format_duration(part));
    row.emplace_back(group.idle_after == Duration{} ? "" : format_duration(group.idle_after));
    row.emplace_back(group.awaited);
    row.emplace_back(group.stream);
    row.emplace_back(evidence_text(group));
    rows.push_back(std::move(row));
  }
  const TextColumn part{.rank = 4};
  add_table(out,
            {{.left = true, .least = 16, .most = kWorkNameColumns + 2},
             {.left = true, .least = 16, .most = kPlaceColumns},
             {},
             {},
             part,
             part,
             part,
             part,
             part,
             part,
             {.rank = 2},
             {.left = true, .least = 12, .most = kWorkNameColumns, .rank = 1},
             {.left = true, .least = 8, .rank = 3},
             {.left = true, .rank = 5}},
            rows);
  if (all.synchronisations.size() > kMostRows)
    out += "  and " + counted(all.synchronisations.size() - kMostRows, "more place") + ": see --json\n";
}

void add_path(ScreenText& screen, const Explanation& all) {
  std::string out = "Critical path:";
  for (std::size_t i = 0; i < causes::kPathClassCount; ++i) {
    const auto path_class = static_cast<PathClass>(i);
    if (all.path.of(path_class) == Duration{}) continue;
    out += (out.back() == ':' ? " " : ", ") + std::string(key_of(path_class)) + " " +
           format_percent(ratio(all.path.of(path_class), all.range.duration()));
  }
  std::vector<TextRow> rows;
  for (const causes::PathName& entry : all.path.names) {
    if (rows.size() == kMostPathNames) break;
    rows.push_back({"  " + std::string(key_of(entry.path_class)), entry.name, format_duration(entry.time),
                    format_percent(ratio(entry.time, all.range.duration())),
                    std::to_string(entry.count) + " x"});
  }
  screen += "\n";
  screen.add_paragraph(out, 2);
  add_table(screen, {{.left = true}, {.left = true, .least = 16, .most = kPlaceColumns}, {}, {}, {}}, rows,
            false);
}

// A finding that costs a tenth of the time is drawn as a problem, one that costs a fiftieth as a notice.
Tone tone_of(const causes::Finding& finding, Duration range) {
  const double share = ratio(finding.cost, range);
  return share >= 0.1 ? Tone::kWorse : share >= 0.02 ? Tone::kNotice : Tone::kPlain;
}

void add_findings(ScreenText& out, const Explanation& all) {
  out += all.findings.empty() ? "\nNo findings.\n" : "\nFindings:\n";
  for (std::size_t i = 0; i < std::min(all.findings.size(), kMostFindings); ++i) {
    const causes::Finding& finding = all.findings[i];
    std::string sentence = "  " + std::to_string(i + 1) + ". " + finding.sentence;
    if (all.steps.count() > 0 && finding.cost > Duration{})
      sentence +=
          " Per step: " + format_duration(finding.cost / static_cast<std::int64_t>(all.steps.count())) + ".";
    out.add_paragraph(sentence, 3, tone_of(finding, all.range.duration()));
    out.add_paragraph("     " + finding.help);
  }
  for (const std::string& sentence : all.to_record) out.add_paragraph("  Note: " + sentence, 2);
}

void add_explanation(ScreenText& out, const Explanation& all) {
  std::string first = "Explained: " + format_duration(all.range.duration());
  first += all.steps.count() == 0 ? ", no steps"
                                  : ", " + counted(all.steps.count(), "step") + ", median " +
                                        format_duration(all.steps.median());
  out.add_paragraph(first);
  add_findings(out, all);
  add_devices(out, all);
  add_synchronisations(out, all);
  add_path(out, all);
  out.add_paragraph("Edges: " + std::to_string(all.edges.recorded) + " recorded, " +
                    std::to_string(all.edges.inferred) + " inferred");
}

// ---- ranks ------------------------------------------------------------------------------------------------

using causes::RankReport;

Json rank_number(const RankReport& report, std::size_t rank) {
  const trace::Rank& known = report.ranks[rank].rank;
  return known.number ? Json(*known.number) : Json(known.name);
}

Json rank_json(const causes::RankExplanation& one) {
  const trace::Rank& rank = one.rank;
  Json out{{"rank", rank.number ? Json(*rank.number) : Json()}, {"name", rank.name}, {"clock", rank.clock}};
  const bool unknown = rank.clock == "unknown";
  out["offset_ns"] = unknown ? Json() : Json(rank.offset_ns);
  out["drift_ppm"] = rank.is_placed() ? Json(rank.drift_ppm) : Json();
  out["error_ns"] = rank.is_placed() ? Json(rank.error_ns) : Json();
  out["collectives"] = one.collectives.size();
  out.update(explanation_json(one.explanation));
  return out;
}

Json collective_json(const RankReport& report, const causes::SharedCollective& shared) {
  Json waited = Json::array();
  for (const causes::Arrival& arrival : shared.arrivals)
    waited.push_back({{"rank", rank_number(report, arrival.rank)}, {"waited_ns", ns_from(arrival.waited)}});
  return {{"kind", key_of(shared.kind)},
          {"group", shared.group},
          {"step", shared.step < 0 ? Json() : Json(shared.step)},
          {"from_ns", ns_from(shared.range.begin)},
          {"to_ns", ns_from(shared.range.end)},
          {"last", shared.last ? rank_number(report, *shared.last) : Json()},
          {"ranks", waited}};
}

Json straggling_json(const RankReport& report, const causes::Straggling& one) {
  Json out{{"rank", rank_number(report, one.rank)},
           {"collectives", one.collectives},
           {"came_last", one.came_last},
           {"caused_ns", ns_from(one.caused)}};
  if (one.step >= 0) out["step"] = one.step;
  return out;
}

Json ranks_json(const std::vector<std::string>& files, const RankReport& report) {
  Json ranks = Json::array(), collectives = Json::array(), by_rank = Json::array(), by_step = Json::array(),
       findings = Json::array();
  for (const auto& one : report.ranks) ranks.push_back(rank_json(one));
  for (const auto& shared : report.collectives) collectives.push_back(collective_json(report, shared));
  for (const auto& one : report.by_rank) by_rank.push_back(straggling_json(report, one));
  for (const auto& one : report.by_step) by_step.push_back(straggling_json(report, one));
  const std::size_t steps = report.ranks.front().explanation.steps.count();
  for (const auto& finding : report.findings) findings.push_back(finding_json(finding, steps));
  return {{"files", files},
          {"ranks", ranks},
          {"collectives", collectives},
          {"last_by_rank", by_rank},
          {"last_by_step", by_step},
          {"findings", findings},
          {"to_record", report.to_record}};
}

std::string clock_text(const trace::Rank& rank) {
  if (rank.clock == "reference") return "its clock is the reference";
  if (rank.clock == "dates") return "placed by the dates in the files: not checked";
  if (rank.clock == "unknown") return "clock unknown: begins at time 0";
  const Duration offset{rank.offset_ns};
  const std::string where = "begins " + format_duration(offset < Duration{} ? -offset : offset) +
                            (offset < Duration{} ? " before" : " after") + " the reference";
  if (rank.clock == "shared") return where + ", by the same machine's clock";
  return where + ", by " + rank.clock + ", within \xc2\xb1 " + format_duration(Duration{rank.error_ns});
}

std::string collectives_text(const RankReport& report) {
  if (report.collectives.empty()) return "\nNo collective was found in more than one rank.\n";
  std::string out = "\n" + counted(report.collectives.size(), "collective") + " of several ranks, " +
                    format_duration(report.waited()) + " of waiting for the rank that came last\n";
  std::vector<std::vector<std::string>> rows{{"  rank", "came last", "of", "the others waited for it"}};
  for (const causes::Straggling& one : report.by_rank)
    rows.push_back({"  " + report.ranks[one.rank].rank.short_name(), std::to_string(one.came_last),
                    std::to_string(one.collectives), format_duration(one.caused)});
  out += aligned(rows);
  std::vector<causes::Straggling> steps = report.by_step;
  std::ranges::stable_sort(steps, std::greater<>(), &causes::Straggling::caused);
  if (steps.size() > kMostSteps) steps.resize(kMostSteps);
  for (const causes::Straggling& one : steps)
    out += "  step " + std::to_string(one.step) + ": most for " + report.ranks[one.rank].rank.short_name() +
           ", " + format_duration(one.caused) + "\n";
  return out;
}

// What is worst in one rank.
std::string rank_text(const Explanation& all) {
  std::string out;
  for (std::size_t i = 0; i < std::min(all.findings.size(), kMostFindingsOfRank); ++i)
    out += "  " + all.findings[i].sentence + "\n";
  for (const auto& device : all.devices) {
    const causes::IdleReport& report = device.report;
    out += "  " + device.name + (device.simulated ? " (simulated)" : "") + ": busy " +
           format_percent(ratio(report.busy, report.range.duration())) + "\n";
  }
  return out + "  blocked: " + format_duration(all.blocked.total()) + "\n";
}

std::string ranks_text(const RankReport& report) {
  std::string out = counted(report.ranks.size(), "rank") + "\n";
  for (const auto& one : report.ranks) out += "  " + one.rank.name + ": " + clock_text(one.rank) + "\n";
  for (const causes::Finding& finding : report.findings)
    out += "\n  " + finding.sentence + "\n  " + finding.help + "\n";
  for (const std::string& sentence : report.to_record) out += "  Note: " + sentence + "\n";
  out += collectives_text(report);
  for (const auto& one : report.ranks) out += "\n" + one.rank.name + "\n" + rank_text(one.explanation);
  return out + "\n`runahead explain` with one file, or --json, says all about a rank.\n";
}

Result<trace::Trace> open(const std::vector<std::string>& files, const InterruptNote& note) {
  const recordings::Progress progress = until_interrupted(note);
  if (files.size() == 1) return importers::load_checked(files.front(), progress);
  return merge::open_joined(std::vector<std::filesystem::path>(files.begin(), files.end()), progress);
}

// "a.json" or "a.json and 2 more".
std::string name_of(const std::vector<std::string>& files) {
  return files.front() + (files.size() == 1 ? "" : " and " + std::to_string(files.size() - 1) + " more");
}

struct ExplainCommand {
  std::vector<std::string> files;
  bool json = false, wide = false;
};

Outcome explain(const ExplainCommand& command) {
  const InterruptNote note;
  const Result<trace::Trace> trace = open(command.files, note);
  if (note.signal() != 0) return {128 + note.signal(), "interrupted: nothing was explained"};
  if (!trace) return refused(trace.error());
  warn_of_losses(name_of(command.files), *trace);
  ScreenText out(stdout_screen(command.wide));
  if (!trace::ranks_of(*trace).empty()) {
    const causes::RankReport ranks = causes::explain_ranks(*trace);
    if (command.json) return write_json(ranks_json(command.files, ranks));
    out.add_lines(ranks_text(ranks), 2);
    return write_stdout(out);
  }
  const Explanation all = causes::explain(*trace);
  if (command.json) {
    Json json{{"file", command.files.front()}};
    json.update(explanation_json(all));
    return write_json(json);
  }
  add_explanation(out, all);
  return write_stdout(out);
}

}  // namespace

void add_explain_command(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand(
      "explain", "Explain a trace: synchronisations, idle time of devices, critical path, findings");
  auto explain_command = std::make_shared<ExplainCommand>();
  command->add_option("files", explain_command->files, "A trace, or the traces of several ranks")->required();
  command->add_flag("--json", explain_command->json, "One JSON object");
  command->add_flag("--wide", explain_command->wide,
                    "All columns and complete names, also in a narrow terminal");
  command->callback([=, &chosen] { chosen = [=] { return explain(*explain_command); }; });
}

}  // namespace runahead::gui
