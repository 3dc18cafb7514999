// Sums of the waits of all frontends, by part and by the line that waited: the naive stopwatch compared with
// the true cost. Pure; any thread on a snapshot.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "instrumentation/analysis/waits/wait_reason.h"

namespace runahead::analysis {

// The waits of one source line that has a name. A stopwatch around this line shows `split.total()`. The part
// `split.ops_before()` of this time is due to earlier ops, and kWakeUp is the cost of the line itself.
struct WaitSite {
  std::string name;
  std::uint64_t count = 0;
  std::uint64_t chain_ops = 0;  // WaitReason::op_count, summed over its waits
  WaitSplit split;
};

struct WaitTotals {
  std::uint64_t count = 0;
  std::uint64_t chain_ops = 0;
  WaitSplit split;
  std::vector<WaitSite> by_site;  // longest total first
};

// Sums up the waits of each_frontend_wait() (frontend_waits.h), at its cost.
[[nodiscard]] WaitTotals wait_totals(const trace::Trace& trace, TimeRange range);

}  // namespace runahead::analysis
