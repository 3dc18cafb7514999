// The waits of all frontends, grouped: which source line waited, for which op, and the main cause; worst
// first. Pure; any thread on a snapshot.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "instrumentation/analysis/waits/wait_reason.h"

namespace runahead::analysis {

// Waits of one name that were released by ops of one name and have the same largest part.
struct WaitGroup {
  std::string wait;  // name of the waits
  std::string op;    // name of the op that released them; empty: unknown
  WaitPart cause{};  // the largest part of each wait; on a tie the first part
  std::uint64_t count = 0;
  WaitSplit split;     // sum over the waits
  Duration longest{};  // the longest wait, within the range
  Wait worst;          // the longest wait
  // name of the op that ran for most of the longest wait, such as "matmul"; empty: none
  std::string worst_for;
};

// Groups the waits of each_frontend_wait() (frontend_waits.h); costs the same. Largest total first.
[[nodiscard]] std::vector<WaitGroup> wait_report(const trace::Trace& trace, TimeRange range);

}  // namespace runahead::analysis
