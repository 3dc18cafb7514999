// Groups the waits of all frontends by the name of the wait, the op that released the wait, and the main
// cause. The group with the largest total time comes first. Pure; any thread on a snapshot.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "instrumentation/analysis/waits/wait_reason.h"

namespace runahead::analysis {

// Waits that have the same name, whose releasing ops have the same name, and that have the same largest part.
struct WaitGroup {
  std::string wait;  // name of all these waits
  std::string op;    // name of the op that released them; empty: unknown
  WaitPart cause{};  // the largest part of each of these waits; on a tie, the part that WaitPart lists first
  std::uint64_t count = 0;
  WaitSplit split;     // sum over these waits
  Duration longest{};  // duration of the longest wait (only its part within the range)
  Wait worst;          // the longest wait
  // name of the op that ran for the longest time during the wait `worst`, such as "matmul"; empty: none
  std::string worst_for;
};

// Groups the waits that each_frontend_wait() (frontend_waits.h) lists; the cost is the same. Sorted by total
// time, largest first.
[[nodiscard]] std::vector<WaitGroup> wait_report(const trace::Trace& trace, TimeRange range);

}  // namespace runahead::analysis
