// `runahead info`: prints the content of a trace, and its losses.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "gui/cli/output.h"
#include "gui/cli/subcommands.h"
#include "instrumentation/base/format.h"
#include "instrumentation/import/load_any.h"
#include "instrumentation/recording/recording.h"
#include "instrumentation/trace/skipped_kinds.h"

namespace runahead::gui {
namespace {

using Json = nlohmann::ordered_json;

// The text output names at most this many kinds of skipped rows; JSON names all kinds.
constexpr std::size_t kMostKinds = 20;
// Some tools put complete JSON documents into the metadata. The text output shortens each value to one line;
// the JSON output has the complete value.
constexpr std::size_t kMostValueColumns = 90;

std::string format_of(const trace::Trace& trace) {
  const auto found = trace.metadata().find("format");
  return found == trace.metadata().end() ? "runahead" : found->second;
}

Json info_json(const std::string& file, const trace::Trace& trace) {
  const trace::TraceCounts counts = trace.counts();
  Json metadata = Json::object();
  for (const auto& [key, value] : trace.metadata()) metadata[key] = value;
  return {{"file", file},
          {"format", format_of(trace)},
          {"tracks", counts.tracks},
          {"slices", counts.slices},
          {"instants", counts.instants},
          {"counters", counts.counters},
          {"counter_samples", counts.counter_samples},
          {"flows", counts.flows},
          {"ops", counts.ops},
          {"dependencies", counts.dependencies},
          {"holdings", counts.allocations},
          {"begin_ns", ns_from(trace.extent().begin)},
          {"end_ns", ns_from(trace.extent().end)},
          {"complete", is_complete(trace)},
          {"lost", losses_json(trace.losses())},
          {"skipped", skipped_json(trace)},
          {"metadata", metadata}};
}

std::string info_text(const std::string& file, const trace::Trace& trace) {
  const trace::TraceCounts counts = trace.counts();
  std::vector<std::vector<std::string>> rows{
      {"file", file},
      {"format", format_of(trace)},
      {"duration", format_duration(trace.extent().duration())},
      {"tracks", std::to_string(counts.tracks)},
      {"slices", std::to_string(counts.slices)},
      {"instants", std::to_string(counts.instants)},
      {"counters",
       std::to_string(counts.counters) + " with " + std::to_string(counts.counter_samples) + " samples"},
      {"flows", std::to_string(counts.flows)},
      {"ops", std::to_string(counts.ops)},
      {"dependencies", std::to_string(counts.dependencies)},
      {"allocations", std::to_string(counts.allocations)},
  };
  for (const auto& [key, value] : trace.metadata()) {
    if (key == "format" || key.starts_with(trace::kSkippedKey)) continue;
    rows.push_back({shortened_line(key, kMostValueColumns), shortened_line(value, kMostValueColumns)});
  }
  return aligned(rows, {true, true}) + (is_cut_off(trace) ? "lost: " + std::string(kCutOff) + "\n" : "") +
         losses_text(trace, kMostKinds);
}

Outcome info(const std::string& file, bool json) {
  const Result<trace::Trace> trace = importers::load_checked(file);
  if (!trace) return refused(trace.error());
  return json ? write_json(info_json(file, *trace)) : write_stdout(info_text(file, *trace));
}

}  // namespace

void add_info_command(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("info", "Show the content of a trace, and its losses");
  auto file = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  command->add_option("file", *file, "A trace")->required();
  command->add_flag("--json", *json, "One JSON object");
  command->callback([=, &chosen] { chosen = [=] { return info(*file, *json); }; });
}

}  // namespace runahead::gui
