// The walk of wait_reason(), for those that make many: the part of a wait that lies in a range.
#pragma once

#include <functional>

#include "instrumentation/analysis/op_chain.h"
#include "instrumentation/analysis/waits/wait_reason.h"

namespace runahead::analysis {

// The op that a flow says released the wait; kNoOp: none says so.
using ReleasedBy = std::function<OpId(const Wait&)>;

// As wait_reason(), of what of the wait lies within `range`.
[[nodiscard]] WaitReason walk_wait(const trace::Trace& trace, const OpChain& ops, const Wait& wait,
                                   TimeRange range, const ReleasedBy& released_by,
                                   const WaitReasonOptions& options);

}  // namespace runahead::analysis
