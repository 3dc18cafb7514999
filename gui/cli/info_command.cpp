// `runahead info`: prints the content of a trace, and its losses.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "gui/cli/output.h"
#include "gui/cli/subcommands.h"
#include "gui/cli/terminal/text_table.h"
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
// A terminal shows at most this many rows of metadata.
constexpr std::size_t kMostMetadata = 12;

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

void add_info(ScreenText& out, const std::string& file, const trace::Trace& trace, bool wide) {
  const trace::TraceCounts counts = trace.counts();
  std::vector<TextRow> rows{
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
  const std::size_t counted_rows = rows.size();
  std::size_t more = 0;
  for (const auto& [key, value] : trace.metadata()) {
    if (key == "format" || key.starts_with(trace::kSkippedKey)) continue;
    if (out.screen().columns && rows.size() - counted_rows == kMostMetadata) {
      ++more;
      continue;
    }
    const auto shown = [&](const std::string& text) {
      return wide ? text : shortened_line(text, kMostValueColumns);
    };
    rows.emplace_back(TextRow{shown(key), shown(value)});
  }
  // A long key does not move the values of the others.
  add_table(out,
            {{.left = true, .least = 16, .most = wide ? 40 : kMostValueColumns}, {.left = true, .least = 16}},
            rows, false);
  if (more > 0) out += "and " + counted(more, "more row") + " of metadata; --wide shows all\n";
  if (is_cut_off(trace)) out.add_paragraph("lost: " + std::string(kCutOff), 2, Tone::kNotice);
  out.add_lines(losses_text(trace, kMostKinds), 2, Tone::kNotice);
}

Outcome info(const std::string& file, bool json, bool wide) {
  const Result<trace::Trace> trace = importers::load_checked(file);
  if (!trace) return refused(trace.error());
  if (json) return write_json(info_json(file, *trace));
  ScreenText out(stdout_screen(wide));
  add_info(out, file, *trace, wide);
  return write_stdout(out);
}

}  // namespace

void add_info_command(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("info", "Show the content of a trace, and its losses");
  auto file = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  auto wide = std::make_shared<bool>(false);
  command->add_option("file", *file, "A trace")->required();
  command->add_flag("--json", *json, "One JSON object");
  command->add_flag("--wide", *wide, "All metadata, with complete values");
  command->callback([=, &chosen] { chosen = [=] { return info(*file, *json, *wide); }; });
}

}  // namespace runahead::gui
