#include "gui/panels/compare/compare_rows.h"

#include "gui/answers/compare_words.h"
#include "gui/timeline/selection_facts.h"

namespace runahead::gui {
namespace {

using analysis::DurationHistogram;
using analysis::FigurePair;
using analysis::NamePair;
using analysis::Ratio;

const char* unit_suffix(trace::Unit unit) {
  switch (unit) {
    case trace::Unit::kNanoseconds:
      return " (ns)";
    case trace::Unit::kBytes:
      return " (B)";
    case trace::Unit::kPerSecond:
      return " (1/s)";
    case trace::Unit::kBytesPerSecond:
      return " (B/s)";
    default:
      return "";
  }
}

std::string ratio_cell(const Ratio& ratio) { return ratio.known() ? value_cell(ratio.value) : ""; }

std::string optional_cell(const std::optional<double>& value) { return value ? value_cell(*value) : ""; }

// Returns the total duration in ns; empty if `side` has no slices with this name.
std::string total_of(const DurationHistogram& side) { return side.count > 0 ? ns_cell(side.total) : ""; }
std::string percentile_of(const DurationHistogram& side, std::size_t which) {
  return side.count > 0 ? ns_cell(side.percentiles[which]) : "";
}

std::vector<std::string> header_of_names() {
  std::vector<std::string> header{text(Text::kName), text(Text::kTimelineKind)};
  for (const ComparedColumn column :
       {ComparedColumn::kDifference, ComparedColumn::kTotalA, ComparedColumn::kTotalB})
    header.push_back(ns_header(column_name(column)));
  header.push_back(column_name(ComparedColumn::kTotalRatio));
  for (const ComparedColumn column : {ComparedColumn::kMedianA, ComparedColumn::kMedianB})
    header.push_back(ns_header(column_name(column)));
  header.push_back(column_name(ComparedColumn::kMedianRatio));
  for (const ComparedColumn column : {ComparedColumn::kCountA, ComparedColumn::kCountB})
    header.push_back(column_name(column));
  for (const ComparedColumn column : {ComparedColumn::kP99A, ComparedColumn::kP99B})
    header.push_back(ns_header(column_name(column)));
  return header;
}

std::vector<std::string> row_of(const NamePair& pair) {
  const bool both = pair.a.count > 0 && pair.b.count > 0;
  return {pair.name,
          kind_name(pair.kind),
          ns_cell(pair.difference()),
          total_of(pair.a),
          total_of(pair.b),
          ratio_cell(pair.total_ratio()),
          percentile_of(pair.a, kP50),
          percentile_of(pair.b, kP50),
          both ? ratio_cell(pair.median_ratio()) : "",
          std::to_string(pair.a.count),
          std::to_string(pair.b.count),
          percentile_of(pair.a, kP99),
          percentile_of(pair.b, kP99)};
}

}  // namespace

TableRows figure_rows(std::span<const FigurePair> figures) {
  TableRows rows{{text(Text::kCompareFigure), "A", "B", "B/A"}};
  for (const FigurePair& figure : figures) {
    rows.push_back({figure_name(figure) + unit_suffix(figure.unit), optional_cell(figure.a),
                    optional_cell(figure.b), ratio_cell(figure.ratio)});
  }
  return rows;
}

TableRows name_rows(std::span<const NamePair> names, std::span<const std::size_t> listed) {
  TableRows rows{header_of_names()};
  for (const std::size_t index : listed) rows.push_back(row_of(names[index]));
  return rows;
}

}  // namespace runahead::gui
