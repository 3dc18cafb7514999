// OpTimes: what one op with a given name costs: the frontend's time, the worker's time, and the time of a
// round trip (enqueue the op and wait for it). All three are means (not medians) over many ops with this
// name. Therefore the mean times the number of ops is the total time of the ops, including the time in which
// threads were preempted.
#pragma once

#include <cstdint>
#include <string_view>

#include "instrumentation/trace/trace.h"

namespace runahead::analysis {

// Times in ns; 0: the trace does not show this time. An op counts as "waited for" if a wait was for this op,
// or if the end of this op released a wait. If some of the ops that are not waited for belong to a step,
// enqueue_ns and execute_ns use only the ops of steps, because outside its steps a workload does different
// work.
struct OpTimes {
  std::uint64_t ops = 0, waited_for = 0;
  // The time from one enqueue to the next, minus waits in between. It is the mean over consecutive ops that
  // are not waited for.
  double enqueue_ns = 0;
  // The time from start to end. It is the mean over ops that are not waited for, or over all ops if each op
  // is waited for.
  double execute_ns = 0;
  double round_trip_ns = 0;  // time from one enqueue to the next, if each op is waited for
  double report_ns = 0;      // time from the end of an op to the end of the wait that it released
};

// Computes the means over the ops with this name. Examines only the last million ops that ended.
[[nodiscard]] OpTimes op_times(const trace::Trace& trace, std::string_view name);

}  // namespace runahead::analysis
