#include "gui/model/table_rows.h"

#include <cstdio>

#include "gui/timeline/selection_facts.h"
#include "instrumentation/trace/labels.h"

namespace runahead::gui {

std::string ns_cell(Duration duration) { return std::to_string(duration.count()); }

std::string ns_header(const std::string& name) { return name + " (ns)"; }
std::string ns_header(Text name) { return ns_header(std::string(text(name))); }

std::string value_cell(double value) {
  char words[32];
  std::snprintf(words, sizeof words, "%.12g", value);
  return words;
}

std::string tab_separated(const TableRows& rows) {
  std::string words;
  for (const std::vector<std::string>& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) words += '\t';
      for (const char c : row[i]) words += c == '\t' || c == '\n' || c == '\r' ? ' ' : c;
    }
    words += '\n';
  }
  return words;
}

TableRows range_rows(const analysis::SegmentFigures& f) {
  TableRows rows{{text(Text::kCompareFigure), text(Text::kTableValue)}};
  const auto add = [&](std::string name, std::string value) {
    rows.push_back({std::move(name), std::move(value)});
  };
  const auto add_time = [&](Text name, Duration time) { add(ns_header(name), ns_cell(time)); };
  const auto add_value = [&](Text name, const char* unit, double value) {
    add(std::string(text(name)) + unit, value_cell(value));
  };
  const double seconds = std::chrono::duration<double>(analysis::active_time(f)).count();
  add_time(Text::kDuration, f.range.duration());
  add_time(Text::kPausedFor, f.paused);
  add_value(Text::kSteps, "", f.steps);
  add_value(Text::kStepsRate, " (1/s)", f.steps_per_s);
  add(text(Text::kOps), std::to_string(f.ops));
  add_time(Text::kBlockedShort, f.blocked);
  if (f.held_by_limit > Duration{}) add_time(Text::kWaitLimit, f.held_by_limit);
  add_time(Text::kExecuting, f.busy_execute);
  add_time(Text::kCopying, f.busy_copy);
  add_time(Text::kOverlap, f.overlap);
  add_value(Text::kCopied, " (B)", f.copied_bytes);
  if (seconds > 0) add_value(Text::kCopyRate, " (B/s)", f.copied_bytes / seconds);
  add_value(Text::kPeakMemory, " (B)", f.peak_bytes);
  const std::string run_ahead = text(Text::kMostRunAhead);
  add(run_ahead + " (" + text(Text::kStepsWord) + ")", value_cell(f.max_run_ahead_steps));
  add(run_ahead + " (" + text(Text::kOpsWord) + ")", value_cell(f.max_run_ahead_ops));
  return rows;
}

TableRows statistics_rows(std::span<const analysis::NameStatistics> names,
                          std::span<const std::size_t> listed) {
  TableRows rows{{text(Text::kName), text(Text::kTimelineTrack), text(Text::kCount), ns_header(Text::kTotal),
                  ns_header(Text::kFindMean), "p50 (ns)", "p99 (ns)", ns_header(Text::kFindMost),
                  text(Text::kTimelineBytes)}};
  for (const std::size_t index : listed) {
    const analysis::NameStatistics& name = names[index];
    rows.push_back({name.name, name.track_group, std::to_string(name.count), ns_cell(name.total),
                    ns_cell(name.mean), ns_cell(name.p50), ns_cell(name.p99), ns_cell(name.max),
                    std::to_string(name.size_bytes)});
  }
  return rows;
}

TableRows area_name_rows(const analysis::AreaStatistics& area) {
  TableRows rows{{text(Text::kName), text(Text::kTimelineKind), text(Text::kCount), ns_header(Text::kTotal),
                  ns_header(Text::kAreaMean), text(Text::kAreaShare)}};
  for (const analysis::AreaName& name : area.names) {
    rows.push_back({name.name, kind_name(name.kind), std::to_string(name.count), ns_cell(name.total),
                    ns_cell(name.mean), value_cell(name.share)});
  }
  return rows;
}

TableRows area_counter_rows(const trace::Trace& trace, const analysis::AreaStatistics& area) {
  TableRows rows{{text(Text::kTimelineTrack), text(Text::kTableUnit), text(Text::kAreaMin),
                  text(Text::kAreaMean), text(Text::kAreaMax)}};
  for (const analysis::AreaCounter& counter : area.counters) {
    const auto cell = [&](double analysis::AreaCounter::Values::*value) {
      return counter.values ? value_cell((*counter.values).*value) : std::string();
    };
    using Values = analysis::AreaCounter::Values;
    rows.push_back({track_label(trace, counter.counter),
                    std::string(trace::unit_key(trace.track(counter.counter).info.unit)), cell(&Values::min),
                    cell(&Values::mean), cell(&Values::max)});
  }
  return rows;
}

}  // namespace runahead::gui
