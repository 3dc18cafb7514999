// loading=ahead: batches are loaded by a thread of their own. For apply() (change.h).
#pragma once

#include <string>

#include "instrumentation/base/result.h"
#include "instrumentation/predict/changes/change.h"
#include "instrumentation/predict/program/program.h"

namespace runahead::predict {

// The time in which a frontend loads data (Event::load) is taken off the frontend. A thread of its own loads
// the batches, one step ahead: it loads the batch of a step as soon as the frontend has taken the batch of
// the step before. In each step, the frontend waits where it loaded, if the batch is not ready; this does not
// count as blocked. What the frontend enqueued while it loaded, it still enqueues itself. Not in the model:
// the loading thread shares cores and memory with the frontend. Error: the value is not ahead; no frontend
// loads data in two steps or more.
[[nodiscard]] Status load_ahead(const Change& change, Program& program);

// The name of the frontend that loads for this one.
[[nodiscard]] inline std::string loader_of(const Frontend& frontend) { return frontend.name + ", loading"; }

}  // namespace runahead::predict
