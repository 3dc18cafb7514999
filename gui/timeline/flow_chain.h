// The flows of a slice, then the flows of the slices that those flows reach, and so on: a chain in both
// directions, of the requested length. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "gui/timeline/scene/scene.h"

namespace runahead::gui {

inline constexpr std::size_t kMostChainFlows = 2000;

// Step 1 is the flows of the slice's op. For a slice without an op it is the flows that leave or enter the
// slice. Each further step expands every slice reached so far. It adds the flows of the slice's op, and the
// ops before and after it as dependencies (kOpToOp, from the end of one to the start of the other). For a
// slice without an op it adds the slice's flows. Each flow is listed once, in the step that reaches it first.
//   most   maximum number listed; further flows of the same step are counted, later steps are not examined
// O(flows * log n). If the trace has no dependencies, flows that touch a slice are searched too.
[[nodiscard]] FlowChain flow_chain(const trace::Trace& trace, const SliceRef& from, std::uint32_t steps,
                                   std::size_t most = kMostChainFlows);

// Updates `chain` for the selection in `state`. Does nothing if it is up to date.
void update_flow_chain(const trace::Trace& trace, const TimelineState& state, FlowChain& chain);

}  // namespace runahead::gui
