// Why it waited, as the command line says it: the `waits` object of JSON, and the lines of the table.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "instrumentation/analysis/waits/wait_totals.h"

namespace runahead::gui {

// {count, total_s, executing_s, copying_s, queueing_s, dispatch_s, enqueue_s, wake_up_s, limit_s, other_s,
// by_site: [{site, count, stopwatch_s, ops_before_s, executing_s, ...}]}: the parts sum to the total.
[[nodiscard]] nlohmann::ordered_json waits_json(const analysis::WaitTotals& waits);

// The longest sites, the stopwatch beside the true time. Empty where nothing waited.
[[nodiscard]] std::string waits_text(const analysis::WaitTotals& waits);

// Part by part and site by site; a site that a run has not counts as zero there. REQUIRES: not empty.
[[nodiscard]] analysis::WaitTotals median_waits(const std::vector<analysis::WaitTotals>& runs);

}  // namespace runahead::gui
