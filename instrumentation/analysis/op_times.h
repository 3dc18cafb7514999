// OpTimes: what one op of a kind takes, read from the moments of many: the frontend's time for it, the
// worker's, and a round trip. Means, so that as many of them as there were come to what they took together,
// what a thread lost its core for with it.
#pragma once

#include <cstdint>
#include <string_view>

#include "instrumentation/trace/trace.h"

namespace runahead::analysis {

// Times in ns; 0 where nothing in the trace tells it. An op was waited for if a wait was for it, or its end
// let one go. Of ops that were not, those of steps count alone, where there are any: what a workload does
// besides is another thing.
struct OpTimes {
  std::uint64_t ops = 0, waited_for = 0;
  // From one enqueue to the next, less the waits between, of ops that follow each other and are not waited
  // for.
  double enqueue_ns = 0;
  // Start to end, of ops that are not waited for, as it is their time that this predicts; of all where each
  // is.
  double execute_ns = 0;
  double round_trip_ns = 0;  // from one enqueue to the next, of ops that are each waited for
  double report_ns = 0;      // from an op's end to the end of the wait that it let go
};

// Of the last million ops of that name that ended.
[[nodiscard]] OpTimes op_times(const trace::Trace& trace, std::string_view name);

}  // namespace runahead::analysis
