// From when on the time after a change of the barrier speaks of the new barrier, and which stretches of a
// trace can be compared around one. A frontend that ran ahead leaves a backlog: the first wait under the new
// barrier lasts until that has drained, and what is measured until then (memory above all) is of the old one.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "instrumentation/analysis/segment.h"
#include "instrumentation/trace/trace.h"

namespace runahead::analysis {

// The barrier that a change sets: of "none -> item" and of "start: item" it is "item"; empty where the label
// says neither.
[[nodiscard]] std::string_view barrier_after(std::string_view label);

// And the one that it ended: of "none -> item" it is "none"; empty of a start.
[[nodiscard]] std::string_view barrier_before(std::string_view label);

// The end of the first wait of a frontend that begins after `change`; `change` itself where it takes the
// barrier away, or nothing has waited yet; nullopt while that first wait goes on: the backlog is draining.
// Waits for the safety limit do not count. O(log n + rows up to that wait).
[[nodiscard]] std::optional<Timestamp> steady_from(const trace::Trace& trace, const BarrierChange& change);

// What is compared around a change: from when the barrier before it had settled, up to it; and from when it
// has settled up to the next change, or the end. Where a barrier did not settle before the next change, its
// stretch begins at the change itself.
struct AroundChange {
  BarrierChange change;
  TimeRange before, after;  // not empty
};
// All changes of a trace with something on both sides, in order; starts of runs are none.
[[nodiscard]] std::vector<AroundChange> around_changes(const trace::Trace& trace);

}  // namespace runahead::analysis
