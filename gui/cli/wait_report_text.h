// The report about waits that commands print: the object `waits` in JSON, and a table in text.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "instrumentation/analysis/waits/wait_totals.h"

namespace runahead::gui {

// Returns {count, chain_ops, total_s, executing_s, copying_s, queueing_s, dispatch_s, enqueue_s, wake_up_s,
// limit_s, other_s, by_site: [{site, count, chain_ops, stopwatch_s, ops_before_s, executing_s, ...}]}. The
// parts (executing_s to other_s) add up to total_s. In an entry of by_site they add up to stopwatch_s.
[[nodiscard]] nlohmann::ordered_json waits_json(const analysis::WaitTotals& waits);

// Returns the sites (lines of the program) with the longest waits. For each site, the text has the time that
// a stopwatch around the line would show. The text also has two parts of this time: the part that was spent
// on earlier ops, and the cost of the wait itself (wake-up). Empty if there were no waits.
[[nodiscard]] std::string waits_text(const analysis::WaitTotals& waits);

// Returns the median over all runs of each count and of each part (WaitPart), for all waits and for each
// site. Total times are the sums of these medians. If a run has no wait at a site, the site's values are zero
// for that run. REQUIRES: runs is not empty.
[[nodiscard]] analysis::WaitTotals median_waits(const std::vector<analysis::WaitTotals>& runs);

}  // namespace runahead::gui
