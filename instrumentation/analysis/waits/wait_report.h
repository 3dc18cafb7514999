// The waits of all frontends by what they waited for: which line waited, for which op, mostly because of
// what; worst first. Pure; any thread on a snapshot.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "instrumentation/analysis/waits/wait_reason.h"

namespace runahead::analysis {

// Waits of one name that were let go by ops of one name, and whose largest part is the same.
struct WaitGroup {
  std::string wait;  // its name
  std::string op;    // the name of the op that released it; empty: none is known
  WaitPart cause{};  // the largest part of each; the first of several that are as large
  std::uint64_t count = 0;
  WaitSplit split;        // of all of them
  Duration longest{};     // within the range
  Wait worst;             // that one
  std::string worst_for;  // the op that ran for most of it: "matmul"; empty: none
};

// Of the waits of each_frontend_wait() (frontend_waits.h), at its cost; the largest total first.
[[nodiscard]] std::vector<WaitGroup> wait_report(const trace::Trace& trace, TimeRange range);

}  // namespace runahead::analysis
