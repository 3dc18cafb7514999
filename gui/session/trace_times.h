// What only the trace of a run can tell of it, added to its results: of the workload's timed op the means
// trace_t1_us (to enqueue one), trace_t2_us (to execute it), trace_t3_us (the rest of a round trip) and
// trace_report_us (from its end to the end of the wait for it).
#pragma once

#include "instrumentation/trace/trace.h"
#include "samples/runner.h"

namespace runahead::gui {

// Nothing is added of a workload without such an op, or whose trace has none.
void add_trace_times(samples::RunReport& report, const trace::Trace& trace);

}  // namespace runahead::gui
