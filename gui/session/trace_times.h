// Adds to a report the results that can only be computed from the run's trace. These results are mean times
// of the op that the workload measures: trace_t1_us (to enqueue the op), trace_t2_us (to execute the op),
// trace_t3_us (the rest of a round trip) and trace_report_us (from the op's end to the end of the wait for
// the op).
#pragma once

#include "instrumentation/trace/trace.h"
#include "samples/runner.h"

namespace runahead::gui {

// Adds nothing if the workload measures no op, or if the trace has no enqueue of this op or no wait for it.
void add_trace_times(samples::RunReport& report, const trace::Trace& trace);

}  // namespace runahead::gui
