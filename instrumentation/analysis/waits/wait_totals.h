// Adds up the waits of all frontends, by part (WaitPart) and by the name of the wait. The sums show how much
// time a stopwatch around each wait would measure, and how much of it is the cost of the wait itself. Pure;
// any thread on a snapshot.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "instrumentation/analysis/waits/wait_reason.h"

namespace runahead::analysis {

// All waits with the same name, such as the waits of one source line. A stopwatch around this line would
// measure `split.total()`. The part `split.ops_before()` of this time is due to earlier ops, and kWakeUp is
// the cost of the line itself.
struct WaitSite {
  std::string name;
  std::uint64_t count = 0;
  std::uint64_t chain_ops = 0;  // sum of WaitReason::op_count over these waits
  WaitSplit split;
};

struct WaitTotals {
  std::uint64_t count = 0;
  std::uint64_t chain_ops = 0;
  WaitSplit split;
  std::vector<WaitSite> by_site;  // longest total first
};

// Adds up the waits that each_frontend_wait() (frontend_waits.h) lists; the cost is the same.
[[nodiscard]] WaitTotals wait_totals(const trace::Trace& trace, TimeRange range);

}  // namespace runahead::analysis
