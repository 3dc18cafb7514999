// From what is on the screen to rows of the trace, and from moments to slices.
#pragma once

#include <optional>
#include <vector>

#include "gui/timeline/scene/scene.h"

namespace runahead::gui {

// How many lanes a track shows: those with rows and those with slices still open; at least one.
[[nodiscard]] std::uint32_t lane_count(const trace::Trace& trace, TrackId track);

// The lane of finished rows; nullptr where the track has none at this depth.
[[nodiscard]] const trace::Lane* find_lane(const trace::Trace& trace, TrackId track, std::uint32_t depth);

// The slice of `track` that a moment `t` of `op` belongs to: one of the op itself that holds, begins or ends
// at t; else (or without an op) the deepest slice that holds t. O(depth * log n).
[[nodiscard]] std::optional<SliceRef> slice_near(const trace::Trace& trace, TrackId track, Timestamp t,
                                                 OpId op);

// Where the slices of an op are, as far as its four moments and its flows tell: no search of the rows. Sorted
// by begin, without repeats.
[[nodiscard]] std::vector<SliceRef> slices_of_op(const trace::Trace& trace, OpId op);

// The flows that leave or enter the slice itself. At most `limit`.
struct SliceFlows {
  std::vector<trace::Flow> in, out;
};
[[nodiscard]] SliceFlows flows_of_slice(const trace::Trace& trace, const SliceRef& ref, std::size_t limit);

}  // namespace runahead::gui
