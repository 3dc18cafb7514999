// The section of a page's report with a comparison: what the window's comparison (key C) shows.
#pragma once

#include <cstddef>
#include <string>

#include "gui/web/report_json.h"
#include "instrumentation/analysis/comparison.h"

namespace runahead::gui {

// A comparison, and what its sides are called.
struct PageComparison {
  std::string a, b;        // such as names of files; any text
  bool one_trace = false;  // B is a range of the trace of the page too, so the page can show it
  analysis::Comparison comparison;
};

// The section in the language of the thread: the two sides, their figures, and the names whose totals differ
// most, at most `most_rows` of them. A is in the trace of the page, so a press on it shows its range.
[[nodiscard]] ReportSection compared_section(const PageComparison& compared, std::size_t most_rows);

}  // namespace runahead::gui
