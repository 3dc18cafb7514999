// Finds lanes, slices and flows in a trace: by track and depth, by time, or by op.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "gui/timeline/scene/scene.h"

namespace runahead::gui {

// Returns the number of lanes of a track, for finished and open slices; at least 1.
[[nodiscard]] std::uint32_t lane_count(const trace::Trace& trace, TrackId track);

// Returns the lane of the track's finished slices at this depth; nullptr if there is no such lane.
[[nodiscard]] const trace::Lane* find_lane(const trace::Trace& trace, TrackId track, std::uint32_t depth);

// Returns the finished slice of the track that begins at `t`, and for which matches() is true. nullopt: there
// is none.
[[nodiscard]] std::optional<SliceRef> slice_beginning_at(
    const trace::Trace& trace, TrackId track, Timestamp t,
    const std::function<bool(const trace::Slice&)>& matches);

// Returns the slice of `op` on `track` that contains `t`, or begins or ends at `t`. If there is no such slice
// (or no op), returns the deepest slice that contains `t`. O(depth * log n).
[[nodiscard]] std::optional<SliceRef> slice_near(const trace::Trace& trace, TrackId track, Timestamp t,
                                                 OpId op);

// Returns the slice of the work that ended an idle gap. nullopt: nothing followed, or its slice was evicted.
[[nodiscard]] std::optional<SliceRef> next_work(const trace::Trace& trace, const IdleMark& gap);

// Returns the slices of an op. Finds them through the times in the op's row (OpRow) and through the op's
// flows, without a search of all slices. Sorted by begin, without duplicates.
[[nodiscard]] std::vector<SliceRef> slices_of_op(const trace::Trace& trace, OpId op);

// The flows that start or end at one slice. Flows that touch only other slices of the same op are not
// included. flows_of_slice() examines at most `limit` flows.
struct SliceFlows {
  std::vector<trace::Flow> in, out;
};
[[nodiscard]] SliceFlows flows_of_slice(const trace::Trace& trace, const SliceRef& ref, std::size_t limit);

}  // namespace runahead::gui
