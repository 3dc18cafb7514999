// The chain of flows of a slice: the slice's flows, then the flows of the slices that these flows reach, and
// so on. The chain goes in both directions and has the requested length. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "gui/timeline/scene/scene.h"

namespace runahead::gui {

inline constexpr std::size_t kMostChainFlows = 2000;

// Step 1 has the flows of the slice's op. If the slice has no op, step 1 has the flows that leave or enter
// the slice. Each further step expands every slice that was reached and is not expanded yet. For a slice with
// an op, the step adds the op's flows and its dependencies on earlier and later ops (kOpToOp, from the end of
// the earlier op to the start of the later op). For a slice without an op, the step adds the slice's flows.
// Each flow is listed once, in the step that reaches it first.
//   most   maximum number of flows to list; further flows of the same step are only counted, and later
//          steps are not examined
// O(flows * log n). Traces of other tools store dependencies as flows. In such a trace, the function
// therefore also searches the flows that begin in a slice of the op.
[[nodiscard]] FlowChain flow_chain(const trace::Trace& trace, const SliceRef& from, std::uint32_t steps,
                                   std::size_t most = kMostChainFlows);

// Updates `chain` for the selection in `state`. Does nothing if `chain` is up to date.
void update_flow_chain(const trace::Trace& trace, const TimelineState& state, FlowChain& chain);

}  // namespace runahead::gui
