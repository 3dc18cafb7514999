// The figures of a measured range as text. The details panel and the page of a part of a trace show them.
// Pure.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "instrumentation/analysis/segment.h"
#include "instrumentation/trace/trace.h"

namespace runahead::gui {

// Returns the name and the value of each figure, in display order. A figure about something that the trace
// does not record (ops, waits of frontends, memory, run-ahead) is left out.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> range_figures(
    const trace::Trace& trace, const analysis::SegmentFigures& figures);

}  // namespace runahead::gui
