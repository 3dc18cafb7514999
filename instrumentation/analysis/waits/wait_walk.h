// The walk of wait_reason(), for callers that make many walks: for the part of a wait within a range.
#pragma once

#include <functional>

#include "instrumentation/analysis/op_chain.h"
#include "instrumentation/analysis/waits/wait_reason.h"

namespace runahead::analysis {

// The op that released the wait according to a flow; kNoOp: no flow says so.
using ReleasedBy = std::function<OpId(const Wait&)>;

// Like wait_reason(), for the part of the wait within `range`.
[[nodiscard]] WaitReason walk_wait(const trace::Trace& trace, const OpChain& ops, const Wait& wait,
                                   TimeRange range, const ReleasedBy& released_by,
                                   const WaitReasonOptions& options);

}  // namespace runahead::analysis
