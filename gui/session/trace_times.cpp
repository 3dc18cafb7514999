#include "gui/session/trace_times.h"

#include <algorithm>

#include "instrumentation/analysis/op_times.h"
#include "samples/workload.h"

namespace runahead::gui {

void add_trace_times(samples::RunReport& report, const trace::Trace& trace) {
  const samples::WorkloadSpec* spec = samples::find_workload(report.workload);
  if (spec == nullptr || spec->timed_op.empty()) return;
  const analysis::OpTimes times = analysis::op_times(trace, spec->timed_op);
  if (times.enqueue_ns <= 0 || times.waited_for == 0) return;
  const double rest_ns = times.round_trip_ns - times.enqueue_ns - times.execute_ns;
  report.result["trace_t1_us"] = times.enqueue_ns * 1e-3;
  report.result["trace_t2_us"] = times.execute_ns * 1e-3;
  report.result["trace_t3_us"] = std::max(0.0, rest_ns) * 1e-3;
  report.result["trace_report_us"] = times.report_ns * 1e-3;
}

}  // namespace runahead::gui
