// Adds the results that need the run's trace to a report. They are mean times of the op that the workload
// times: trace_t1_us (to enqueue the op), trace_t2_us (to execute it), trace_t3_us (the rest of a round trip)
// and trace_report_us (from the op's end to the end of the wait for the op).
#pragma once

#include "instrumentation/trace/trace.h"
#include "samples/runner.h"

namespace runahead::gui {

// Adds nothing if the workload has no timed op or the trace has no slice of it.
void add_trace_times(samples::RunReport& report, const trace::Trace& trace);

}  // namespace runahead::gui
