// The report of waits on the command line: the object `waits` in JSON, and the lines of the table.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "instrumentation/analysis/waits/wait_totals.h"

namespace runahead::gui {

// Returns {count, total_s, executing_s, copying_s, queueing_s, dispatch_s, enqueue_s, wake_up_s, limit_s,
// other_s, by_site: [{site, count, stopwatch_s, ops_before_s, executing_s, ...}]}. The parts sum to the
// total.
[[nodiscard]] nlohmann::ordered_json waits_json(const analysis::WaitTotals& waits);

// Returns the sites (lines of the program) with the longest waits. For each site, the text has the time of a
// naive stopwatch next to the true time. Empty if there were no waits.
[[nodiscard]] std::string waits_text(const analysis::WaitTotals& waits);

// Returns the median of each part and of each site. If a run lacks a site, the site counts as zero in that
// run. REQUIRES: runs is not empty.
[[nodiscard]] analysis::WaitTotals median_waits(const std::vector<analysis::WaitTotals>& runs);

}  // namespace runahead::gui
