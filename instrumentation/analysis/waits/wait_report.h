// Groups the waits of all frontends by the name of the wait, the op that released the wait, and the main
// cause. The group with the largest total time comes first. Pure; any thread on a snapshot.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "instrumentation/analysis/waits/wait_reason.h"

namespace runahead::analysis {

// A group of waits that have three things in common: the name of the wait, the name of the op that released
// the wait, and the main cause (the largest WaitPart).
struct WaitGroup {
  std::string wait;  // name of all these waits
  std::string op;    // name of the op that released them; empty: unknown
  WaitPart cause{};  // largest part of each of these waits; of equal parts, the first in WaitPart
  std::uint64_t count = 0;
  WaitSplit split;     // sum of the splits of these waits
  Duration longest{};  // duration of the longest wait (only its part within the range)
  Wait worst;          // the longest wait
  // name of the op that ran for the longest time during the wait `worst`, such as "matmul"; empty: none
  std::string worst_for;
};

// Groups the waits that each_frontend_wait() (frontend_waits.h) lists. Costs as much as a call of that
// function. The groups are sorted by total time, largest first.
[[nodiscard]] std::vector<WaitGroup> wait_report(const trace::Trace& trace, TimeRange range);

}  // namespace runahead::analysis
