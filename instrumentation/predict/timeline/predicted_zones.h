// The named scopes of a frontend's program (SliceKind::kZone) in a predicted timeline. A scope begins and
// ends between two events of its frontend, and keeps its place between them:
//
//   recording   enqueue ....[ zone    wait wait wait    enqueue    ]..... enqueue
//   prediction  enqueue ....[ zone    enqueue    ]..... enqueue
//
// The frontend's own time between the two events is the same in both timelines, unless a change scaled it:
// then the place is scaled too. Internal to predict.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "instrumentation/predict/simulation/simulate.h"
#include "instrumentation/trace/trace.h"

namespace runahead::predict {

struct PredictedZone {
  Duration begin{}, end{};
  StringId name{};  // in `recorded`
};
// In the order of the recorded lanes, outer ones first. Left out: zones that began before the program or
// after its last event, and those of which the prediction leaves out all. `times` are those of
// frontend.events. loads_elsewhere: another frontend loads the batches (change_loading.h).
// O((zones + waits) * log(events)).
[[nodiscard]] std::vector<PredictedZone> predicted_zones(const trace::Trace& recorded,
                                                         const Frontend& frontend,
                                                         std::span<const EventTimes> times,
                                                         bool loads_elsewhere);

// Sorts the slices of a frontend, and returns the depth of each: slices lie within those of smaller depths. A
// zone that begins or ends within an enqueue or a wait is extended to its begin or end, and a zone that would
// outlast an outer one ends with it. At equal times, the slice that comes first in `slices` is the outer one.
// O(n log n).
[[nodiscard]] std::vector<std::uint32_t> nest(std::vector<trace::Slice>& slices);

}  // namespace runahead::predict
