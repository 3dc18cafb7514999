#include "samples/result_table.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "samples/report_figures.h"
#include "samples/runner.h"

namespace runahead::samples {

namespace {

// True: `formula` contains `name` as a whole word.
bool speaks_of(const std::string& formula, const std::string& name) {
  const auto in_word = [&](std::size_t at) {
    return at < formula.size() &&
           (std::isalnum(static_cast<unsigned char>(formula[at])) != 0 || formula[at] == '_');
  };
  for (std::size_t at = formula.find(name); at != std::string::npos; at = formula.find(name, at + 1)) {
    if ((at == 0 || !in_word(at - 1)) && !in_word(at + name.size())) return true;
  }
  return false;
}
bool speak_of(const std::vector<ResultTable>& tables, const std::string& name) {
  return std::ranges::any_of(tables, [&](const ResultTable& table) {
    return table.sentence == name || std::ranges::any_of(table.rows, [&](const ResultRow& row) {
             return std::ranges::any_of(row.figures,
                                        [&](const std::string& formula) { return speaks_of(formula, name); });
           });
  });
}

std::optional<ShownRow> show(const ResultRow& row, const RunReport& run) {
  ShownRow shown{.label = row.label, .hint = row.hint};
  bool any = false;
  for (const std::string& formula : row.figures) {
    const auto words = run.result_text.find(formula);
    const std::optional<double> value = formula.empty() ? std::nullopt : figure_from(run, formula);
    shown.figures.push_back(words != run.result_text.end() ? words->second
                            : value                        ? result_text(*value, row.unit)
                                                           : "");
    any = any || !shown.figures.back().empty();
  }
  return any ? std::optional(shown) : std::nullopt;
}

}  // namespace

std::vector<ShownTable> show_results(const std::vector<ResultTable>& tables, const RunReport& run) {
  std::vector<ShownTable> shown;
  for (const ResultTable& table : tables) {
    ShownTable out{.title = table.title, .columns = table.columns};
    for (const ResultRow& row : table.rows) {
      if (std::optional<ShownRow> line = show(row, run)) out.rows.push_back(*std::move(line));
    }
    const auto sentence = run.result_text.find(table.sentence);
    if (sentence != run.result_text.end()) out.sentence = sentence->second;
    if (!out.rows.empty() || !out.sentence.empty()) shown.push_back(std::move(out));
  }
  ShownTable rest;
  for (const auto& [name, value] : run.result) {
    if (!speak_of(tables, name))
      rest.rows.push_back({.label = name, .figures = {result_text(value, ResultUnit::kNumber)}});
  }
  for (const auto& [name, words] : run.result_text) {
    if (!speak_of(tables, name)) rest.rows.push_back({.label = name, .figures = {words}});
  }
  if (!rest.rows.empty()) shown.push_back(std::move(rest));
  return shown;
}

}  // namespace runahead::samples
