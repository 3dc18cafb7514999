// Adds up how long all frontends waited. There is one sum for each part of a wait (WaitPart) and for each
// name of a wait. The sums show how much time a stopwatch around the waits would measure, and how much of
// this time is the cost of the waits themselves. The code is pure: any thread may call it on a snapshot.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "instrumentation/analysis/waits/wait_reason.h"

namespace runahead::analysis {

// All waits with the same name, such as the waits of one source line. A stopwatch around this line would
// measure `split.total()`. During `split.ops_before()` of this time, the frontend waited for earlier ops. The
// time in the part kWakeUp is the cost of the line itself.
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

// Adds up the waits that each_frontend_wait() (frontend_waits.h) lists. One call costs as much as one call of
// each_frontend_wait().
[[nodiscard]] WaitTotals wait_totals(const trace::Trace& trace, TimeRange range);

}  // namespace runahead::analysis
