// The section of a page's report with the waits: the list of the panel Waits.
#pragma once

#include <cstddef>
#include <vector>

#include "gui/web/report/report_json.h"
#include "instrumentation/analysis/waits/wait_report.h"
#include "instrumentation/base/time.h"

namespace runahead::gui {

// Returns the section in the language of the thread, with at most `most_rows` groups. `range`: the time of
// which the waits are. `in_range`: it is a part of the trace.
[[nodiscard]] ReportSection waits_section(const std::vector<analysis::WaitGroup>& groups, TimeRange range,
                                          bool in_range, std::size_t most_rows);

}  // namespace runahead::gui
