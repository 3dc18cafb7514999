#include "gui/web/report/compared_section.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "gui/answers/compare_words.h"
#include "gui/answers/loss_sentences.h"
#include "gui/text/text.h"
#include "instrumentation/base/format.h"

namespace runahead::gui {
namespace {

using analysis::Comparison;
using analysis::FigureKind;
using analysis::FigurePair;
using analysis::NamePair;

// The columns of the table of names, as the widest table of the window has them.
constexpr std::array kShownColumns{ComparedColumn::kName,       ComparedColumn::kDifference,
                                   ComparedColumn::kTotalA,     ComparedColumn::kTotalB,
                                   ComparedColumn::kTotalRatio, ComparedColumn::kMedianA,
                                   ComparedColumn::kMedianB,    ComparedColumn::kMedianRatio,
                                   ComparedColumn::kCountA,     ComparedColumn::kCountB};

// "Steps: x0.71, Peak memory: ÷249": the figures that a change of the barrier is about.
std::string change_in_words(const Comparison& comparison) {
  std::string out;
  for (const FigurePair& figure : comparison.figures) {
    const bool asked = figure.kind == FigureKind::kStepsPerS || figure.kind == FigureKind::kPeakMemory;
    if (!asked || !figure.ratio.known()) continue;
    out += (out.empty() ? "" : ", ") + figure_name(figure) + ": " + ratio_words(figure.ratio);
  }
  return out.empty() ? out : "B/A: " + out;
}

ReportTable sides_table(const PageComparison& compared) {
  ReportTable out{text(Text::kPanelCompare),
                  {{"", false},
                   {text(Text::kName), false},
                   {text(Text::kTimelineBegins), true},
                   {text(Text::kDuration), true}},
                  {}};
  const auto add = [&out](const char* side, const std::string& name, TimeRange range, bool lower) {
    ReportRow row{
        {side, name, format_axis_time(range.begin, Duration{1000}), format_duration(range.duration())}};
    row.go = ReportPlace{.track = kNoTrack, .range = range, .lower = lower};
    out.rows.push_back(std::move(row));
  };
  add("A", compared.a, compared.comparison.a_range, false);
  add("B", compared.b, compared.comparison.b_range, true);
  return out;
}

ReportTable figures_table(const Comparison& comparison) {
  ReportTable out{text(Text::kTableFigures),
                  {{text(Text::kCompareFigure), false}, {"A", true}, {"B", true}, {"B/A", true}},
                  {}};
  for (const FigurePair& figure : comparison.figures)
    out.rows.push_back({{figure_name(figure), figure_words(figure.unit, figure.a),
                         figure_words(figure.unit, figure.b), ratio_words(figure.ratio)}});
  return out;
}

ReportTable compared_names_table(const Comparison& comparison, std::size_t most_rows) {
  ComparePer per = ComparePer::kStep;
  const CompareScale scale = scale_of(comparison, per);
  ReportTable out{std::string(text(Text::kTableNames)) + " (" + per_words(per) + ")", {}, {}};
  for (const ComparedColumn column : kShownColumns)
    out.columns.push_back({column_name(column), column != ComparedColumn::kName});
  std::vector<std::size_t> listed =
      listed_names(comparison.names, "", ComparedColumn::kDifference, true, scale);
  if (listed.size() > most_rows) listed.resize(most_rows);
  const auto difference = [&](std::size_t i) {
    const NamePair& pair = comparison.names[i];
    return static_cast<double>(pair.b.total.count()) * scale.b -
           static_cast<double>(pair.a.total.count()) * scale.a;
  };
  const double most = listed.empty() ? 0 : std::abs(difference(listed.front()));
  for (const std::size_t i : listed) {
    ReportRow row;
    for (const ComparedColumn column : kShownColumns)
      row.cells.push_back(name_cell(comparison.names[i], column, scale));
    if (most > 0) row.bars = {{1, difference(i) / most}};
    out.rows.push_back(std::move(row));
  }
  return out;
}

}  // namespace

std::string side_time(TimeRange range) {
  const Duration step = std::max(range.duration() / 100, Duration{1});
  return format_axis_time(range.begin, step) + " .. " + format_axis_time(range.end, step);
}

ReportSection compared_section(const PageComparison& compared, std::size_t most_rows) {
  const Comparison& comparison = compared.comparison;
  ReportSection out{"compare", text(Text::kPanelCompare)};
  out.summary = change_in_words(comparison);
  out.tables = {sides_table(compared), figures_table(comparison),
                compared_names_table(comparison, most_rows)};
  const std::size_t shown = out.tables.back().rows.size();
  if (shown < comparison.names.size())
    out.notes.push_back(
        filled(Text::kReportLeftOut, {std::to_string(shown), std::to_string(comparison.names.size())}));
  const auto lost = [&out](const char* side, const trace::LossCounts& losses) {
    for (const std::string& sentence : loss_sentences(losses))
      out.notes.push_back(std::string(side) + ": " + sentence);
  };
  lost("A", comparison.a_losses);
  if (compared.b_trace) lost("B", comparison.b_losses);
  return out;
}

}  // namespace runahead::gui
