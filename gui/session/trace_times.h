// Adds results to a report that only the run's trace can give. They are mean times of the workload's timed
// op: trace_t1_us (to enqueue one), trace_t2_us (to execute it), trace_t3_us (the rest of a round trip) and
// trace_report_us (from its end to the end of the wait for it).
#pragma once

#include "instrumentation/trace/trace.h"
#include "samples/runner.h"

namespace runahead::gui {

// Adds nothing if the workload has no timed op or the trace has no slice of it.
void add_trace_times(samples::RunReport& report, const trace::Trace& trace);

}  // namespace runahead::gui
