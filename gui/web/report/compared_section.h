// The section of a page's report with a comparison: what the window's comparison (key C) shows.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "gui/web/report/report_json.h"
#include "instrumentation/analysis/comparison.h"
#include "instrumentation/base/time.h"
#include "instrumentation/trace/trace.h"

namespace runahead::gui {

// A comparison, and what its sides are called.
struct PageComparison {
  std::string a, b;  // such as names of files; any text
  analysis::Comparison comparison;
  // The trace of B, which the page shows below that of A. nullptr: B is a range of the trace of the page.
  std::shared_ptr<const trace::Trace> b_trace{};
};

// The time of a side, as the window labels it: "1.2 s .. 4.5 s".
[[nodiscard]] std::string side_time(TimeRange range);

// The section in the language of the thread: the two sides, their figures, and the names whose totals differ
// most, at most `most_rows` of them. A press on a side shows its range on its timeline.
[[nodiscard]] ReportSection compared_section(const PageComparison& compared, std::size_t most_rows);

}  // namespace runahead::gui
