// predicted_trace(): the timeline of a simulated run, as a Trace: frontends with their steps, enqueues and
// waits, workers and streams, ops with their dependencies and lives, memory by category, and the counters of
// a run. It opens like a recording, beside the real one. Its metadata say that it is a prediction.
#pragma once

#include <string>

#include "instrumentation/predict/program/program.h"
#include "instrumentation/predict/simulation/simulate.h"
#include "instrumentation/trace/trace.h"

namespace runahead::predict {

// `program` is the one that was simulated, with keep_times. `names`: the trace whose strings it refers to;
// null: ops have no names. `about` describes the change, such as "barrier=none".
[[nodiscard]] trace::Trace predicted_trace(const Program& program, const Outcome& outcome,
                                           const trace::Trace* names, const std::string& about);

}  // namespace runahead::predict
