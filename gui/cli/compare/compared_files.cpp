#include "gui/cli/compare/compared_files.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "gui/cli/words.h"
#include "instrumentation/analysis/side_summary.h"
#include "instrumentation/analysis/steady_state.h"
#include "instrumentation/base/format.h"
#include "instrumentation/import/load_any.h"

namespace runahead::gui {
namespace {

using trace::Trace;

std::string range_words(TimeRange range) {
  return format_axis_time(range.begin, Duration{1'000'000}) + " .. " +
         format_axis_time(range.end, Duration{1'000'000});
}

// Returns the part of `wanted` that is within the trace. If `wanted` is nullopt, returns whole_side().
Result<TimeRange> range_of(const Trace& trace, const Trace& other, const std::string& file,
                           std::optional<TimeRange> wanted) {
  if (trace.extent().empty()) return Error{"'" + file + "' has nothing to compare"};
  if (!wanted) return analysis::whole_side(trace, other);
  const TimeRange all{trace.extent().begin, trace.extent().end + Duration{1}};
  const TimeRange held{std::max(all.begin, wanted->begin), std::min(all.end, wanted->end)};
  if (held.empty()) {
    return Error{"'" + file + "' has nothing in the range " + range_words(*wanted) + ": it goes from " +
                 range_words(all)};
  }
  return held;
}

void compare_ranges(ComparedTraces& traces, TimeRange a, TimeRange b) {
  const Trace& trace_b = traces.b ? *traces.b : traces.a;
  traces.comparison =
      analysis::compare_sides(analysis::summarize_side(traces.a, a), analysis::summarize_side(trace_b, b));
}

Status around_last_change(ComparedTraces& traces) {
  const std::vector<analysis::AroundChange> changes = analysis::around_changes(traces.a);
  if (changes.empty()) {
    return Error{"'" + traces.files.a +
                 "': the barrier never changes in it, so there is no before and after: name a second "
                 "recording, or two ranges (--a FROM..TO --b FROM..TO)"};
  }
  const analysis::AroundChange& last = changes.back();
  traces.files.change = last.change;
  traces.files.a_settled = last.before_settled;
  traces.files.b_settled = last.after_settled;
  compare_ranges(traces, last.before, last.after);
  return Ok{};
}

}  // namespace

Result<ComparedRanges> compared_ranges(const ComparedWords& words) {
  if (words.other.empty() && words.a.empty() != words.b.empty()) {
    return Error{std::string("two ranges of one file need both --a and --b: --") +
                 (words.a.empty() ? "a" : "b") + " is missing"};
  }
  ComparedRanges out;
  for (const auto& [typed, range] : {std::pair(&words.a, &out.a), std::pair(&words.b, &out.b)}) {
    if (typed->empty()) continue;
    const Result<TimeRange> read = parse_range(*typed);
    if (!read) return read.error();
    *range = *read;
  }
  return out;
}

Result<ComparedTraces> compare_files(const ComparedWords& words, const ComparedRanges& ranges,
                                     const recordings::Progress& progress) {
  ComparedTraces out;
  Result<Trace> first = importers::load_checked(words.file, progress);
  if (!first) return first.error();
  out.a = std::move(*first);
  out.files = {words.file, words.other.empty() ? words.file : words.other};
  if (words.other.empty() && !ranges.a) {
    if (const Status status = around_last_change(out); !status) return status.error();
    return out;
  }
  if (!words.other.empty()) {
    Result<Trace> second = importers::load_checked(words.other, progress);
    if (!second) return second.error();
    out.b = std::move(*second);
  }
  const Trace& second = out.b ? *out.b : out.a;
  const Result<TimeRange> a = range_of(out.a, second, out.files.a, ranges.a);
  if (!a) return a.error();
  const Result<TimeRange> b = range_of(second, out.a, out.files.b, ranges.b);
  if (!b) return b.error();
  compare_ranges(out, *a, *b);
  return out;
}

}  // namespace runahead::gui
