// `runahead stats`: prints counts and durations by name.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "gui/cli/memory_lines.h"
#include "gui/cli/output.h"
#include "gui/cli/subcommands.h"
#include "gui/cli/terminal/text_table.h"
#include "gui/cli/wait_report_text.h"
#include "instrumentation/analysis/statistics.h"
#include "instrumentation/base/format.h"
#include "instrumentation/export/csv.h"
#include "instrumentation/import/load_any.h"
#include "instrumentation/recording/recording.h"
#include "instrumentation/trace/labels.h"

namespace runahead::gui {
namespace {

using analysis::NameStatistics;
using exporters::append_csv_field;
using trace::slice_kind_key;
using Json = nlohmann::ordered_json;

Json stats_json(const std::string& file, const std::vector<NameStatistics>& all,
                const analysis::WaitTotals& waits, Json memory) {
  Json rows = Json::array();
  for (const NameStatistics& s : all) {
    rows.push_back({{"name", s.name},
                    {"kind", slice_kind_key(s.kind)},
                    {"track", s.track_group},
                    {"count", s.count},
                    {"total_ns", ns_from(s.total)},
                    {"mean_ns", ns_from(s.mean)},
                    {"min_ns", ns_from(s.min)},
                    {"p50_ns", ns_from(s.p50)},
                    {"p99_ns", ns_from(s.p99)},
                    {"max_ns", ns_from(s.max)},
                    {"bytes", s.size_bytes}});
  }
  return {{"file", file}, {"rows", rows}, {"waits", waits_json(waits)}, {"memory", std::move(memory)}};
}

std::string stats_csv(const std::vector<NameStatistics>& all) {
  std::string out = "name,kind,track,count,total_ns,mean_ns,min_ns,p50_ns,p99_ns,max_ns,bytes\r\n";
  for (const NameStatistics& s : all) {
    append_csv_field(out, s.name);
    out += "," + std::string(slice_kind_key(s.kind)) + ",";
    append_csv_field(out, s.track_group);
    out += "," + std::to_string(s.count);
    for (const Duration d : {s.total, s.mean, s.min, s.p50, s.p99, s.max})
      out += "," + std::to_string(ns_from(d));
    out += "," + std::to_string(s.size_bytes) + "\r\n";
  }
  return out;
}

// The name of a C++ kernel may have a thousand characters, so such a name does not widen its column.
const std::vector<TextColumn> kStatsColumns{{.left = true, .least = 20, .most = 60},
                                            {.left = true, .rank = 3},
                                            {.left = true, .least = 8, .most = 30, .rank = 6},
                                            {},
                                            {},
                                            {.rank = 2},
                                            {.rank = 7},
                                            {.rank = 1},
                                            {.rank = 4},
                                            {.rank = 5},
                                            {.rank = 8}};

void add_stats(ScreenText& out, const std::vector<NameStatistics>& all) {
  std::vector<TextRow> rows{
      {"name", "kind", "track", "count", "total", "mean", "min", "p50", "p99", "max", "bytes"}};
  for (const NameStatistics& s : all) {
    TextRow row{s.name, std::string(slice_kind_key(s.kind)), s.track_group, std::to_string(s.count)};
    for (const Duration d : {s.total, s.mean, s.min, s.p50, s.p99, s.max})
      row.emplace_back(format_duration(d));
    row.emplace_back(s.size_bytes > 0 ? format_bytes(static_cast<double>(s.size_bytes)) : "");
    rows.push_back(std::move(row));
  }
  add_table(out, kStatsColumns, rows);
}

struct StatsCommand {
  std::string file;
  bool json = false, csv = false, wide = false;
};

Outcome stats(const StatsCommand& command) {
  const Result<trace::Trace> trace = importers::load_checked(command.file);
  if (!trace) return refused(trace.error());
  TimeRange all = trace->extent();
  all.end += Duration{1};  // the range is half-open; this includes a slice of length zero at the end
  const std::vector<NameStatistics> rows = analysis::statistics_by_name(*trace, all);
  warn_of_losses(command.file, *trace);
  if (command.json) {
    return write_json(
        stats_json(command.file, rows, analysis::wait_totals(*trace, all), memory_json(*trace, all)));
  }
  if (command.csv) return write_csv(stats_csv(rows));
  ScreenText out(stdout_screen(command.wide));
  add_stats(out, rows);
  const std::string memory = memory_lines(*trace, all);
  if (!memory.empty()) out += "\n";
  out.add_lines(memory, 2);
  return write_stdout(out);
}

}  // namespace

void add_stats_command(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("stats", "Show counts and durations by name, largest total first");
  auto stats_command = std::make_shared<StatsCommand>();
  command->add_option("file", stats_command->file, "A trace")->required();
  CLI::Option* json = command->add_flag("--json", stats_command->json, "One JSON object");
  command->add_flag("--csv", stats_command->csv, "Comma-separated values")->excludes(json);
  command->add_flag("--wide", stats_command->wide,
                    "All columns and complete names, also in a narrow terminal");
  command->callback([=, &chosen] { chosen = [=] { return stats(*stats_command); }; });
}

}  // namespace runahead::gui
