// The figures that a lesson compares, predicted for another barrier from a recorded run.
#pragma once

#include <map>
#include <string>

#include "instrumentation/base/barrier.h"
#include "instrumentation/trace/trace.h"

namespace runahead::predict {

// Figures by their names in `run --json`; empty: nothing can be predicted that is trusted.
using NamedFigures = std::map<std::string, double>;

// The whole run with this barrier ("none", "wait_to_read"): steps_per_s, blocked_ratio, peak_bytes,
// max_run_ahead_steps.
[[nodiscard]] NamedFigures figures_with_barrier(const trace::Trace& trace, const std::string& barrier);
// What a run that goes on with the barrier `now` would do with `next` once it has settled, from its last
// seconds: steps_per_s, peak_bytes, max_run_ahead_steps.
[[nodiscard]] NamedFigures settled_figures(const trace::Trace& trace, const BarrierPolicy& now,
                                           const BarrierPolicy& next);

}  // namespace runahead::predict
