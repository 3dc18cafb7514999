// Lists the waits of all frontends with their reasons. wait_totals() and wait_report() use this list. The
// functions are pure; any thread may call them on a snapshot.
#pragma once

#include <functional>

#include "instrumentation/analysis/waits/wait_reason.h"

namespace runahead::analysis {

// Calls `found` for each wait on a kFrontend or kThread track, track by track, including waits that are still
// open. Of each wait, only the part within `range` counts. If a wait is nested in another wait, only the
// outer wait counts. The reasons are computed as in wait_reason(). O(slices of the frontends + flows + ops
// run during waits * lanes that execute * log rows).
void each_frontend_wait(const trace::Trace& trace, TimeRange range, const WaitReasonOptions& options,
                        const std::function<void(const Wait&, const WaitReason&)>& found);

}  // namespace runahead::analysis
