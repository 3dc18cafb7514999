// `runahead explain`: says what a run's time was made of: synchronisations, idle time of devices, the
// critical path, and findings.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "gui/cli/output.h"
#include "gui/cli/subcommands.h"
#include "instrumentation/base/format.h"
#include "instrumentation/causes/explanation.h"
#include "instrumentation/import/load_any.h"
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
constexpr std::size_t kMostRows = 12, kMostFindings = 10;
constexpr std::size_t kPlaceColumns = 44, kWorkNameColumns = 36;

double ratio(Duration part, Duration all) {
  return all == Duration{} ? 0 : static_cast<double>(part.count()) / static_cast<double>(all.count());
}

// ---- JSON -------------------------------------------------------------------------------------------------

Json device_json(const causes::DeviceExplanation& device) {
  const causes::IdleReport& report = device.report;
  Json idle = Json::object();
  for (std::size_t i = 0; i < causes::kIdleCauseCount; ++i) {
    const auto cause = static_cast<IdleCause>(i);
    if (report.idle.of(cause) != Duration{})
      idle[std::string(key_of(cause))] = ns_from(report.idle.of(cause));
  }
  return {{"name", device.name},
          {"simulated", device.simulated},
          {"busy_ratio", ratio(report.busy, report.range.duration())},
          {"idle_ratio", ratio(report.idle.total(), report.range.duration())},
          {"idle", idle},
          {"gaps", report.gap_count}};
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

Json explanation_json(const std::string& file, const Explanation& all) {
  Json devices = Json::array(), synchronisations = Json::array(), findings = Json::array();
  for (const auto& device : all.devices) devices.push_back(device_json(device));
  for (const SyncGroup& group : all.synchronisations) synchronisations.push_back(synchronisation_json(group));
  for (const auto& finding : all.findings) findings.push_back(finding_json(finding, all.steps.count()));
  Json path = Json::object();
  for (std::size_t i = 0; i < causes::kPathClassCount; ++i) {
    const auto path_class = static_cast<PathClass>(i);
    path[std::string(key_of(path_class))] = ns_from(all.path.of(path_class));
  }
  const Json median = all.steps.count() == 0 ? Json() : Json(ns_from(all.steps.median()));
  return {{"file", file},
          {"from_ns", ns_from(all.range.begin)},
          {"to_ns", ns_from(all.range.end)},
          {"steps", {{"count", all.steps.count()}, {"median_ns", median}}},
          {"devices", devices},
          {"synchronisations", synchronisations},
          {"blocked_ratio", all.blocked_ratio},
          {"attributed_ratio", all.attributed_ratio()},
          {"critical_path", path},
          {"findings", findings},
          {"inferred_edges", all.edges.inferred},
          {"recorded_edges", all.edges.recorded},
          {"to_record", all.to_record}};
}

// ---- text -------------------------------------------------------------------------------------------------

std::string devices_text(const Explanation& all) {
  std::string out;
  for (const auto& device : all.devices) {
    const causes::IdleReport& report = device.report;
    const Duration range = report.range.duration();
    out += "\n" + device.name + (device.simulated ? " (simulated)" : "") + ": busy " +
           format_percent(ratio(report.busy, range)) + ", idle " +
           format_percent(ratio(report.idle.total(), range)) + "\n";
    std::vector<std::pair<Duration, IdleCause>> causes;
    for (std::size_t i = 0; i < causes::kIdleCauseCount; ++i) {
      const auto cause = static_cast<IdleCause>(i);
      if (report.idle.of(cause) != Duration{}) causes.emplace_back(report.idle.of(cause), cause);
    }
    std::ranges::sort(causes, std::greater<>());
    std::vector<std::vector<std::string>> rows;
    for (const auto& [time, cause] : causes) {
      rows.push_back({"  idle: " + std::string(sentence_of(cause)), format_duration(time),
                      format_percent(ratio(time, range))});
    }
    out += aligned(rows);
  }
  return out;
}

std::string evidence_text(const SyncGroup& group) {
  if (group.awaited.empty()) return "";
  if (group.inferred == 0) return "recorded";
  return group.recorded == 0 ? "inferred" : "in part inferred";
}

std::string synchronisations_text(const Explanation& all) {
  if (all.synchronisations.empty()) return "\nNo synchronisations.\n";
  std::string out = "\nSynchronisations: " + format_duration(all.blocked.total()) + " blocked (" +
                    format_percent(all.blocked_ratio) + " of the main thread's time); the cause of " +
                    format_percent(all.attributed_ratio()) + " of it is known\n";
  std::vector<std::vector<std::string>> rows{{"  call", "place", "count", "blocked", "running", "copying",
                                              "queued", "finished", "wake-up", "unknown", "idle after",
                                              "waited for", "stream", "evidence"}};
  for (const SyncGroup& group : all.synchronisations) {
    if (rows.size() > kMostRows) break;
    std::vector<std::string> row{"  " + shortened_line(group.call, kWorkNameColumns),
                                 shortened_line(group.place, kPlaceColumns), std::to_string(group.count),
                                 format_duration(group.parts.total())};
    for (const Duration part : group.parts.times)
      row.push_back(part == Duration{} ? "" : format_duration(part));
    row.push_back(group.idle_after == Duration{} ? "" : format_duration(group.idle_after));
    row.push_back(shortened_line(group.awaited, kWorkNameColumns));
    row.push_back(group.stream);
    row.push_back(evidence_text(group));
    rows.push_back(std::move(row));
  }
  out += aligned(
      rows, {true, true, false, false, false, false, false, false, false, false, false, true, true, true});
  if (all.synchronisations.size() > kMostRows)
    out += "  and " + counted(all.synchronisations.size() - kMostRows, "more place") + ": see --json\n";
  return out;
}

std::string path_text(const Explanation& all) {
  std::string out = "\nCritical path:";
  for (std::size_t i = 0; i < causes::kPathClassCount; ++i) {
    const auto path_class = static_cast<PathClass>(i);
    if (all.path.of(path_class) == Duration{}) continue;
    out += (out.back() == ':' ? " " : ", ") + std::string(key_of(path_class)) + " " +
           format_percent(ratio(all.path.of(path_class), all.range.duration()));
  }
  return out + "\n";
}

std::string findings_text(const Explanation& all) {
  std::string out = all.findings.empty() ? "\nNo findings.\n" : "\nFindings:\n";
  for (std::size_t i = 0; i < std::min(all.findings.size(), kMostFindings); ++i) {
    const causes::Finding& finding = all.findings[i];
    out += "  " + std::to_string(i + 1) + ". " + finding.sentence;
    if (all.steps.count() > 0 && finding.cost > Duration{})
      out +=
          " Per step: " + format_duration(finding.cost / static_cast<std::int64_t>(all.steps.count())) + ".";
    out += "\n     " + finding.help + "\n";
  }
  for (const std::string& sentence : all.to_record) out += "  Note: " + sentence + "\n";
  return out;
}

std::string explanation_text(const Explanation& all) {
  std::string out = "Explained: " + format_duration(all.range.duration());
  out += all.steps.count() == 0 ? ", no steps\n"
                                : ", " + counted(all.steps.count(), "step") + ", median " +
                                      format_duration(all.steps.median()) + "\n";
  out += findings_text(all) + devices_text(all) + synchronisations_text(all) + path_text(all);
  return out + "Edges: " + std::to_string(all.edges.recorded) + " recorded, " +
         std::to_string(all.edges.inferred) + " inferred\n";
}

struct ExplainCommand {
  std::string file;
  bool json = false;
};

Outcome explain(const ExplainCommand& command) {
  const Result<trace::Trace> trace = importers::load_checked(command.file);
  if (!trace) return refused(trace.error());
  const Explanation all = causes::explain(*trace);
  warn_of_losses(command.file, *trace);
  if (command.json) return write_json(explanation_json(command.file, all));
  return write_stdout(explanation_text(all));
}

}  // namespace

void add_explain_command(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand(
      "explain", "Explain a trace: synchronisations, idle time of devices, critical path, findings");
  auto explain_command = std::make_shared<ExplainCommand>();
  command->add_option("file", explain_command->file, "A trace")->required();
  command->add_flag("--json", explain_command->json, "One JSON object");
  command->callback([=, &chosen] { chosen = [=] { return explain(*explain_command); }; });
}

}  // namespace runahead::gui
