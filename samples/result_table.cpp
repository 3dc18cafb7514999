#include "samples/result_table.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <optional>

#include "instrumentation/base/format.h"
#include "samples/report_figures.h"
#include "samples/runner.h"

namespace runahead::samples {

namespace {

std::string significant(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

std::string duration_text(double ns) {
  if (std::abs(ns) >= 100) return format_duration(Duration{std::llround(ns)});
  char text[40];  // below 100 ns, integer nanoseconds are too coarse: a byte may cost 0.0521 ns
  std::snprintf(text, sizeof text, "%.3g ns", ns);
  return text;
}

std::string flop_rate_text(double flop_per_s) {
  char text[40];
  const bool tera = std::abs(flop_per_s) >= 1e12;
  std::snprintf(text, sizeof text, "%.3g %cFLOP/s", flop_per_s / (tera ? 1e12 : 1e9), tera ? 'T' : 'G');
  return text;
}

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

std::string result_text(double value, ResultUnit unit) {
  switch (unit) {
    case ResultUnit::kNumber:
      break;
    case ResultUnit::kSeconds:
      return duration_text(value * 1e9);
    case ResultUnit::kMicroseconds:
      return duration_text(value * 1e3);
    case ResultUnit::kNanoseconds:
      return duration_text(value);
    case ResultUnit::kBytes:
      return format_bytes(value);
    case ResultUnit::kBytesPerSecond:
      return format_bytes_per_s(value);
    case ResultUnit::kFlopPerSecond:
      return flop_rate_text(value);
    case ResultUnit::kRatio:
      return format_ratio(value);
    case ResultUnit::kShare:
      return format_percent(value);
    case ResultUnit::kYesOrNo:
      return value != 0 ? "yes" : "no";
  }
  return significant(value);
}

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
    if (!speak_of(tables, name)) rest.rows.push_back({.label = name, .figures = {significant(value)}});
  }
  for (const auto& [name, words] : run.result_text) {
    if (!speak_of(tables, name)) rest.rows.push_back({.label = name, .figures = {words}});
  }
  if (!rest.rows.empty()) shown.push_back(std::move(rest));
  return shown;
}

}  // namespace runahead::samples
