// The waits of all frontends, each with its reason: what totals and reports of waits are made of. Pure; any
// thread on a snapshot.
#pragma once

#include <functional>

#include "instrumentation/analysis/waits/wait_reason.h"

namespace runahead::analysis {

// Of the waits on kFrontend tracks, those still open too, what lies within `range`, track by track. A wait
// within a wait counts as the outer one. Reasons are those of wait_reason().
// O(slices of the frontends + flows + ops run during waits * lanes that execute * log rows).
void each_frontend_wait(const trace::Trace& trace, TimeRange range, const WaitReasonOptions& options,
                        const std::function<void(const Wait&, const WaitReason&)>& found);

}  // namespace runahead::analysis
