// walk_wait() is the algorithm behind wait_reason(). A caller that examines many waits calls walk_wait()
// directly. All its calls then share one OpChain and one index of the flows. Each call can also be limited to
// the part of the wait that lies within a time range.
#pragma once

#include <functional>

#include "instrumentation/analysis/op_chain.h"
#include "instrumentation/analysis/waits/wait_reason.h"

namespace runahead::analysis {

// Returns the op whose end released the wait. A flow that arrives at the end of the wait states this op.
// kNoOp: there is no such flow.
using ReleasedBy = std::function<OpId(const Wait&)>;

// Finds the reason of a wait as wait_reason() does, but only for the part of the wait within `range`.
[[nodiscard]] WaitReason walk_wait(const trace::Trace& trace, const OpChain& ops, const Wait& wait,
                                   TimeRange range, const ReleasedBy& released_by,
                                   const WaitReasonOptions& options);

}  // namespace runahead::analysis
