// What a run measured, as a person reads it: labelled figures, what a naive look shows beside what is true,
// a formula beside the measurement. Each workload says its own; window and command line show the same. The
// names of RunReport::result stay what `run --json` has.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace runahead::samples {

struct RunReport;

enum class ResultUnit : std::uint8_t {
  kNumber,
  kSeconds,
  kMicroseconds,
  kNanoseconds,
  kBytes,
  kBytesPerSecond,
  kFlopPerSecond,
  kRatio,  // "x0.23"
  kShare,  // 0.98 -> "98 %"
  kYesOrNo,
};

struct ResultRow {
  std::string label;
  // One, or as many as the table has columns: in `unit`, over the names of RunReport's fields, its results
  // and parameters ("steps * t2_us"); or the name of a result_text. An empty one leaves its place free.
  std::vector<std::string> figures;
  ResultUnit unit = ResultUnit::kSeconds;
  std::string hint{};  // a sentence more
};

struct ResultTable {
  std::string title;
  std::vector<std::string> columns{};  // over the figures: "stopwatch", "true"; empty: one figure a row
  std::vector<ResultRow> rows;
  std::string sentence{};  // the name of a result_text that is said below them; empty: none
};

// The same of one run. A row of which no figure can be worked out is left out, and so is a table without
// rows. Results that no table speaks of come last, under their own names, so that nothing is hidden.
struct ShownRow {
  std::string label, hint;
  std::vector<std::string> figures;  // as text, with their units; empty: not measured by this run
};
struct ShownTable {
  std::string title;
  std::vector<std::string> columns;
  std::vector<ShownRow> rows;
  std::string sentence;
};
[[nodiscard]] std::vector<ShownTable> show_results(const std::vector<ResultTable>& tables,
                                                   const RunReport& run);

[[nodiscard]] std::string result_text(double value, ResultUnit unit);

}  // namespace runahead::samples
