// walk_wait() is the algorithm behind wait_reason(). A caller that examines many waits calls walk_wait()
// directly. All its calls then share one OpChain and one index of the flows, and it can examine only the part
// of each wait that lies within a range.
#pragma once

#include <functional>

#include "instrumentation/analysis/op_chain.h"
#include "instrumentation/analysis/waits/wait_reason.h"

namespace runahead::analysis {

// The op that released the wait according to a flow; kNoOp: no flow names an op.
using ReleasedBy = std::function<OpId(const Wait&)>;

// Computes the reason as wait_reason() does, but only for the part of the wait within `range`.
[[nodiscard]] WaitReason walk_wait(const trace::Trace& trace, const OpChain& ops, const Wait& wait,
                                   TimeRange range, const ReleasedBy& released_by,
                                   const WaitReasonOptions& options);

}  // namespace runahead::analysis
