#include "gui/cli/published_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gui/cli/output.h"
#include "instrumentation/base/format.h"
#include "samples/lessons/exercise.h"
#include "samples/published.h"

namespace runahead::gui {

using samples::RunReport;
using Json = nlohmann::ordered_json;

namespace {

std::vector<samples::ComparedFigure> compared_figures(const RunReport& report) {
  const samples::WorkloadSpec* spec = samples::find_workload(report.workload);
  if (spec == nullptr) return {};
  return compare_published(spec->published_figures, {&report, 1});
}

}  // namespace

Json published_json(const RunReport& report) {
  const auto or_null = [](const auto& value) { return value ? Json(*value) : Json(nullptr); };
  const auto word_or_null = [](const std::string& word) { return word.empty() ? Json(nullptr) : Json(word); };
  Json out = Json::array();
  for (const samples::ComparedFigure& row : compared_figures(report)) {
    out.push_back({{"set", row.set},
                   {"label", row.label},
                   {"published", row.published},
                   {"here", or_null(row.here)},
                   {"unit", row.unit},
                   {"formula", word_or_null(row.formula)},
                   {"against", word_or_null(row.against)},
                   {"shape_published", or_null(row.shape_published)},
                   {"shape_here", or_null(row.shape_here)},
                   {"note", word_or_null(row.note)}});
  }
  return out;
}

std::string published_table(const RunReport& report) {
  const auto shape = [](const std::optional<double>& ratio) { return ratio ? format_ratio(*ratio) : ""; };
  const std::vector<samples::ComparedFigure> all = compared_figures(report);
  std::vector<std::vector<std::string>> rows{{"", "published", "here", "shape there", "and here", ""}};
  std::string set;
  for (const samples::ComparedFigure& row : all) {
    const bool measured = std::any_of(all.begin(), all.end(),
                                      [&](const auto& other) { return other.set == row.set && other.here; });
    if (!measured) continue;
    if (row.set != set) rows.push_back({"  " + row.set, "", "", "", "", ""});
    set = row.set;
    rows.push_back({"    " + row.label, samples::published_text(row.published, row.unit),
                    row.here ? samples::here_text(*row.here, row.unit) : "", shape(row.shape_published),
                    shape(row.shape_here), row.against.empty() ? row.note : "to " + row.against});
  }
  if (rows.size() == 1) return "";
  return "published beside here (machines differ: compare the shape, not the figures)\n" +
         aligned(rows, {true, false, false, false, false, true});
}

std::string exercise_text(int number) {
  const samples::Exercise* exercise = samples::find_exercise(number);
  if (exercise == nullptr) return "";
  std::string out = "exercise " + std::to_string(number) + ": " + exercise->title + "\n";
  for (const std::string& step : exercise->steps) out += "  - " + step + "\n";
  return out + "  Compare: " + exercise->compare + "\n";
}

}  // namespace runahead::gui
