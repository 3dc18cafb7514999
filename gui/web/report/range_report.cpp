#include "gui/web/report/range_report.h"

#include <algorithm>
#include <string>
#include <utility>

#include "gui/answers/loss_sentences.h"
#include "gui/answers/range_figures.h"
#include "gui/answers/wait_groups.h"
#include "gui/timeline/selection_facts.h"
#include "gui/web/report/report_columns.h"
#include "gui/web/report/waits_section.h"
#include "instrumentation/analysis/parts/parts_of_run.h"
#include "instrumentation/base/format.h"
#include "instrumentation/causes/synchronisation.h"

namespace runahead::gui {
namespace {

using analysis::NameStatistics;

std::uint64_t count_of(const std::vector<NameStatistics>& names) {
  std::uint64_t count = 0;
  for (const NameStatistics& name : names) count += name.count;
  return count;
}

std::uint64_t slices_of_trace(const trace::Trace& trace) {
  std::uint64_t count = 0;
  for (const trace::Track& track : trace.tracks()) {
    for (const trace::Lane& lane : track.lanes) count += lane.end_row() - lane.first_row();
  }
  return count;
}

std::vector<analysis::WaitGroup> waits_in(const trace::Trace& trace, TimeRange range) {
  if (has_ops(trace)) return analysis::wait_report(trace, range);
  return synchronisation_groups(trace, causes::Synchronisations(trace), range);
}

ReportTable range_figures_table(const trace::Trace& trace, const RangeAnswers& answers) {
  ReportTable out{text(Text::kTableFigures),
                  {words_column(Text::kCompareFigure), number_column(Text::kTimelineValue)},
                  {}};
  for (const auto& [name, value] : range_figures(trace, answers.facts.figures))
    out.rows.push_back({{name, value}});
  return out;
}

ReportTable range_names_table(const std::vector<NameStatistics>& names) {
  ReportTable out{text(Text::kTableNames),
                  {words_column(Text::kName),
                   words_column(Text::kReportKind),
                   words_column(Text::kTimelineTrack),
                   number_column(Text::kCount),
                   number_column(Text::kTotal),
                   number_column(Text::kFindMean),
                   {"p50", true},
                   {"p99", true},
                   number_column(Text::kFindMost)},
                  {}};
  const double most = names.empty() ? 0 : static_cast<double>(names.front().total.count());
  for (const NameStatistics& name : names) {
    ReportRow row{{name.name, kind_name(name.kind), translated(name.track_group),
                   format_count(static_cast<double>(name.count)), format_duration(name.total),
                   format_duration(name.mean), format_duration(name.p50), format_duration(name.p99),
                   format_duration(name.max)}};
    if (most > 0) row.bars = {{4, static_cast<double>(name.total.count()) / most}};
    out.rows.push_back(std::move(row));
  }
  return out;
}

ReportSection range_summary(const trace::Trace& trace, const RangeAnswers& answers,
                            const ReportLimits& limits) {
  ReportSection out{"summary", text(Text::kReportSummary)};
  out.summary = filled(Text::kWaitsOfRange, {format_duration(answers.range.duration())});
  if (!answers.part.empty()) out.summary += " \u00b7 " + filled(Text::kPartOfRun, {translated(answers.part)});
  out.tables.push_back(range_figures_table(trace, answers));
  ReportTable names = range_names_table(answers.facts.names);
  limit_rows(limits.most_rows, answers.facts.names.size(), out, names);
  if (!names.rows.empty()) out.tables.push_back(std::move(names));
  out.notes.push_back(text(Text::kReportOfRange));
  for (std::string& sentence : loss_sentences(trace)) out.notes.push_back(std::move(sentence));
  if (!answers.waits)
    out.notes.push_back(
        filled(Text::kReportTooLarge, {format_count(static_cast<double>(answers.slices)),
                                       format_count(static_cast<double>(limits.most_slices))}));
  return out;
}

}  // namespace

std::optional<RangeAnswers> ask_about_range(const trace::Trace& trace, TimeRange range,
                                            const recordings::Progress& progress,
                                            const ReportLimits& limits) {
  const auto done = [&](double part) { return !progress || progress(part); };
  const TimeRange extent = trace.extent();
  RangeAnswers out;
  out.range = {std::clamp(range.begin, extent.begin, extent.end),
               std::clamp(range.end, extent.begin, extent.end + Duration(1))};  // with what is at the end
  if (!done(0)) return std::nullopt;
  out.facts.figures = analysis::segment_figures(trace, out.range);
  if (!done(0.3)) return std::nullopt;
  out.facts.names = analysis::statistics_by_name(trace, out.range, analysis::OpLives::kLeftOut);
  const std::vector<analysis::PartOfRun> parts = analysis::parts_of_run(trace);
  if (const auto* const part = analysis::part_with_range(parts, out.range)) out.part = part->name;
  out.marks = marks_in(trace, out.range, limits.most_rows);
  if (!done(0.6)) return std::nullopt;
  out.slices = slices_of_trace(trace);
  const std::uint64_t to_read = has_ops(trace) ? count_of(out.facts.names) : out.slices;
  if (to_read <= limits.most_slices) out.waits = waits_in(trace, out.range);
  if (!done(1)) return std::nullopt;
  return out;
}

std::vector<ReportSection> range_sections(const trace::Trace& trace, const RangeAnswers& answers,
                                          const ReportLimits& limits) {
  std::vector<ReportSection> out{range_summary(trace, answers, limits)};
  if (answers.waits) out.push_back(waits_section(*answers.waits, answers.range, true, limits.most_rows));
  if (answers.marks.count > 0) out.push_back(marks_section(answers.marks));
  return out;
}

}  // namespace runahead::gui
