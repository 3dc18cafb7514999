// The flows of a slice, and on request those of what they reach, and so on: a chain in both directions, as
// long as a person asks for. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "gui/timeline/scene/scene.h"

namespace runahead::gui {

inline constexpr std::size_t kMostChainFlows = 2000;

// Step 1 is the flows of the slice's op, or without one those that leave or enter the slice. Each step more
// adds, of every slice reached so far, the flows of its op and what that op had to follow and what followed
// it (as kOpToOp, from the end of one to the start of the other), and the flows of a slice without an op.
// Each flow once, in the step that reaches it first.
//   most   so many are listed; further ones of the last step looked at are counted, and none beyond it
// O(flows * log n); where the trace has no dependencies, slices are asked for what touches them too.
[[nodiscard]] FlowChain flow_chain(const trace::Trace& trace, const SliceRef& from, std::uint32_t steps,
                                   std::size_t most = kMostChainFlows);

// Brings `chain` up to date for what `state` has selected; keeps it where it is.
void update_flow_chain(const trace::Trace& trace, const TimelineState& state, FlowChain& chain);

}  // namespace runahead::gui
