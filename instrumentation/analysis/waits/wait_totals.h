// The waits of all frontends added up, by part and by the line that waited: the naive stopwatch beside the
// true time. Pure; any thread on a snapshot.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "instrumentation/analysis/waits/wait_reason.h"

namespace runahead::analysis {

// One place that waits, by its name. A stopwatch around that line shows `split.total()`; of it,
// `split.ops_before()` was the ops before it, and kWakeUp is what the line itself cost.
struct WaitSite {
  std::string name;
  std::uint64_t count = 0;
  std::uint64_t chain_ops = 0;  // that led to the ends of all: WaitReason::op_count, summed
  WaitSplit split;
};

struct WaitTotals {
  std::uint64_t count = 0;
  std::uint64_t chain_ops = 0;
  WaitSplit split;
  std::vector<WaitSite> by_site;  // the longest total first
};

// Of the waits of each_frontend_wait() (frontend_waits.h), at its cost.
[[nodiscard]] WaitTotals wait_totals(const trace::Trace& trace, TimeRange range);

}  // namespace runahead::analysis
