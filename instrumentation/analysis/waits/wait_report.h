// Groups the waits of all frontends by the name of the wait, the op that released the wait, and the main
// cause. The group with the largest total time comes first. The code is pure: any thread may call it on a
// snapshot.
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
  std::string op;    // name of the op that released these waits; empty: unknown
  // the largest part of each of these waits; if parts are equal: the first of them in WaitPart
  WaitPart cause{};
  std::uint64_t count = 0;
  WaitSplit split;     // sum of the splits of all these waits
  Duration longest{};  // duration of the longest wait (only its part within the range)
  Wait worst;          // the longest wait
  // name of the op that ran for the longest time during the wait `worst`, such as "matmul"; empty: none
  std::string worst_for;
  // True: at least one cause was inferred from other rows, because the trace does not state it.
  bool inferred = false;
};

// Groups the waits that each_frontend_wait() (frontend_waits.h) lists. One call costs as much as one call of
// each_frontend_wait(). The groups are sorted by total time, largest first.
[[nodiscard]] std::vector<WaitGroup> wait_report(const trace::Trace& trace, TimeRange range);

}  // namespace runahead::analysis
