// Finds the rows of the trace for items on the screen, and slices for times.
#pragma once

#include <optional>
#include <vector>

#include "gui/timeline/scene/scene.h"

namespace runahead::gui {

// The number of lanes of a track, finished and open slices included; at least one.
[[nodiscard]] std::uint32_t lane_count(const trace::Trace& trace, TrackId track);

// The lane of finished rows; nullptr if the track has none at this depth.
[[nodiscard]] const trace::Lane* find_lane(const trace::Trace& trace, TrackId track, std::uint32_t depth);

// The slice of `track` at time `t` of `op`: a slice of the op that contains t, or begins or ends at t. Else
// (or without an op) the deepest slice that contains t. O(depth * log n).
[[nodiscard]] std::optional<SliceRef> slice_near(const trace::Trace& trace, TrackId track, Timestamp t,
                                                 OpId op);

// The slices of an op, as far as its four moments and its flows locate them; rows are not searched. Sorted by
// begin, without duplicates.
[[nodiscard]] std::vector<SliceRef> slices_of_op(const trace::Trace& trace, OpId op);

// The flows that leave or enter the slice itself, at most `limit`.
struct SliceFlows {
  std::vector<trace::Flow> in, out;
};
[[nodiscard]] SliceFlows flows_of_slice(const trace::Trace& trace, const SliceRef& ref, std::size_t limit);

}  // namespace runahead::gui
