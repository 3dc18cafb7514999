// The results of a run as the user reads them. A row has a label and its figures: a single value, a naive
// measurement next to the true value, or a predicted value next to the measured value. Each workload defines
// its tables. Window and command line show the same tables. `run --json` uses the names of RunReport::result.
#pragma once

#include <string>
#include <vector>

#include "samples/result_unit.h"

namespace runahead::samples {

struct RunReport;

struct ResultRow {
  std::string label;
  // The figures of a row: one, or one per column of the table. Each figure is the name of an entry of
  // RunReport::result_text, or a formula such as "steps * t2_us". A formula uses the names of RunReport's
  // fields, results and parameters. The value of the formula is in `unit`. An empty string leaves its column
  // empty.
  std::vector<std::string> figures;
  ResultUnit unit = ResultUnit::kSeconds;
  std::string hint{};  // one more sentence about the row
};

struct ResultTable {
  std::string title;
  // titles of the figures: "stopwatch", "true"; empty: one figure per row
  std::vector<std::string> columns{};
  std::vector<ResultRow> rows;
  // name of the entry of RunReport::result_text that is shown below the rows; empty: none
  std::string sentence{};
};

// The tables of one run as text, ready to be shown. A row without any figure is omitted. A table without rows
// and without a sentence is omitted too. Results that are in no table come last, under their own names, so
// that no result is hidden.
struct ShownRow {
  std::string label, hint;
  std::vector<std::string> figures;  // text with unit; empty: not measured by this run
};
struct ShownTable {
  std::string title;
  std::vector<std::string> columns;
  std::vector<ShownRow> rows;
  std::string sentence;
};
[[nodiscard]] std::vector<ShownTable> show_results(const std::vector<ResultTable>& tables,
                                                   const RunReport& run);

}  // namespace runahead::samples
