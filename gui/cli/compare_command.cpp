// `runahead compare`: compares two recordings, two ranges of one recording, or the times before and after a
// change of the barrier.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "gui/cli/compare_report.h"
#include "gui/cli/output.h"
#include "gui/cli/subcommands.h"
#include "gui/cli/words.h"
#include "instrumentation/analysis/steady_state.h"
#include "instrumentation/base/format.h"
#include "instrumentation/import/load_any.h"
#include "instrumentation/recording/recording.h"

namespace runahead::gui {
namespace {

using trace::Trace;

struct CompareCommand {
  std::string file, other, a, b;
  bool json = false, csv = false, wide = false;
};

struct Side {
  const Trace* trace = nullptr;
  TimeRange range;
};

std::string shown(TimeRange range) {
  return format_axis_time(range.begin, Duration{1'000'000}) + " .. " +
         format_axis_time(range.end, Duration{1'000'000});
}

// Returns the part of `wanted` that is within the trace. If `wanted` is nullopt, returns the range of the
// complete trace.
Result<TimeRange> range_of(const Trace& trace, const std::string& file, std::optional<TimeRange> wanted) {
  TimeRange all = trace.extent();
  if (all.empty()) return Error{"'" + file + "' has nothing to compare"};
  // The range is half-open. Without the added 1 ns, the range would not include a slice of length zero at its
  // end.
  all.end += Duration{1};
  if (!wanted) return all;
  const TimeRange held{std::max(all.begin, wanted->begin), std::min(all.end, wanted->end)};
  if (held.empty()) {
    return Error{"'" + file + "' has nothing in the range " + shown(*wanted) + ": it goes from " +
                 shown(all)};
  }
  return held;
}

Outcome write_comparison(const CompareCommand& command, const ComparedFiles& files, const Side& a,
                         const Side& b) {
  const analysis::Comparison comparison = analysis::compare_sides(
      analysis::summarize_side(*a.trace, a.range), analysis::summarize_side(*b.trace, b.range));
  warn_of_losses(files.a, *a.trace);
  if (a.trace != b.trace) warn_of_losses(files.b, *b.trace);
  if (command.json) return write_json(comparison_json(files, comparison));
  if (command.csv) return write_csv(comparison_csv(comparison));
  return write_stdout(comparison_text(files, comparison, stdout_screen(command.wide)));
}

Outcome around_last_change(const CompareCommand& command, const Trace& trace) {
  const std::vector<analysis::AroundChange> changes = analysis::around_changes(trace);
  if (changes.empty()) {
    return refused("'" + command.file +
                   "': the barrier never changes in it, so there is no before and after: name a second "
                   "recording, or two ranges (--a FROM..TO --b FROM..TO)");
  }
  const analysis::AroundChange& last = changes.back();
  return write_comparison(command, {command.file, command.file, last.change}, {&trace, last.before},
                          {&trace, last.after});
}

Outcome compare_ranges(const CompareCommand& command, std::optional<TimeRange> a,
                       std::optional<TimeRange> b) {
  const Result<Trace> first = importers::load_checked(command.file);
  if (!first) return refused(first.error());
  if (command.other.empty() && !a) return around_last_change(command, *first);
  std::optional<Result<Trace>> second;
  if (!command.other.empty()) {
    second.emplace(importers::load_checked(command.other));
    if (!*second) return refused(second->error());
  }
  const Trace& trace_b = second ? **second : *first;
  const std::string& file_b = second ? command.other : command.file;
  const Result<TimeRange> range_a = range_of(*first, command.file, a);
  if (!range_a) return refused(range_a.error());
  const Result<TimeRange> range_b = range_of(trace_b, file_b, b);
  if (!range_b) return refused(range_b.error());
  return write_comparison(command, {command.file, file_b, std::nullopt}, {&*first, *range_a},
                          {&trace_b, *range_b});
}

Outcome compare(const CompareCommand& command) {
  if (command.other.empty() && command.a.empty() != command.b.empty()) {
    return wrong_words(std::string("two ranges of one file need both --a and --b: --") +
                       (command.a.empty() ? "a" : "b") + " is missing");
  }
  std::optional<TimeRange> ranges[2];
  for (const int side : {0, 1}) {
    const std::string& words = side == 0 ? command.a : command.b;
    if (words.empty()) continue;
    const Result<TimeRange> range = parse_range(words);
    if (!range) return wrong_words(range.error());
    ranges[side] = *range;
  }
  return compare_ranges(command, ranges[0], ranges[1]);
}

}  // namespace

void add_compare_command(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("compare",
                                         "Compare two traces, or two ranges of one trace. One trace without "
                                         "ranges: before and after the last change of its barrier");
  auto words = std::make_shared<CompareCommand>();
  command->add_option("A", words->file, "A trace")->required();
  command->add_option("B", words->other, "Another trace");
  command->add_option("--a", words->a, "Range of A, such as 0s..2s; default: all of it");
  command->add_option("--b", words->b, "Range of B, or of A if only A is given");
  CLI::Option* json = command->add_flag("--json", words->json, "One JSON object");
  command->add_flag("--csv", words->csv, "Comma-separated values, one figure a line")->excludes(json);
  command->add_flag("--wide", words->wide, "All columns and complete names, also in a narrow terminal");
  command->footer("Ratios are B/A. What each figure means: docs/compare.md.");
  command->callback([=, &chosen] { chosen = [=] { return compare(*words); }; });
}

}  // namespace runahead::gui
