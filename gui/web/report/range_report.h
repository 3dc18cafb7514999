// The report of a page that has a part of a trace: what the window says about a measured range.
#pragma once

#include <optional>
#include <vector>

#include "gui/answers/figure_facts.h"
#include "gui/web/report/marks_section.h"
#include "gui/web/report/report.h"
#include "gui/web/report/report_json.h"
#include "instrumentation/analysis/waits/wait_report.h"

namespace runahead::gui {

struct RangeAnswers {
  TimeRange range{};  // within the trace
  RangeFacts facts;
  std::string part;  // the range is this part of the run; empty: it is no part
  std::optional<std::vector<analysis::WaitGroup>> waits;  // nullopt: too many slices had to be read
  std::uint64_t slices = 0;                               // of the trace
  Marks marks;
};

// Computes the answers; nullopt: `progress` cancelled it. A trace of another tool is read as a whole, because
// what a call waited for may be outside of the range.
[[nodiscard]] std::optional<RangeAnswers> ask_about_range(const trace::Trace& trace, TimeRange range,
                                                          const recordings::Progress& progress,
                                                          const ReportLimits& limits);

// Returns the sections in the language of the thread: the figures of the range and its slices by name, its
// waits, its markers and notes. They say what the report of a whole trace has besides.
[[nodiscard]] std::vector<ReportSection> range_sections(const trace::Trace& trace,
                                                        const RangeAnswers& answers,
                                                        const ReportLimits& limits);

}  // namespace runahead::gui
