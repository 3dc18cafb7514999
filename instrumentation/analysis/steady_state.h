// Finds when the steady state after a barrier change begins. Also finds the two ranges, before and after a
// change, whose figures can be compared. In the steady state only the new barrier has an effect. Before the
// steady state, the old barrier still has an effect: a frontend that ran ahead leaves a backlog of ops. The
// first wait under the new barrier lasts until the backlog has drained. Values measured before the backlog
// has drained (especially memory) still belong to the old barrier.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "instrumentation/analysis/segment.h"
#include "instrumentation/trace/trace.h"

namespace runahead::analysis {

// Returns the barrier that a change sets: "item" for "none -> item" and for "start: item". Empty: the label
// has none of these two forms.
[[nodiscard]] std::string_view barrier_after(std::string_view label);

// Returns the barrier that a change ends: "none" for "none -> item". Empty for a start.
[[nodiscard]] std::string_view barrier_before(std::string_view label);

// Returns the start of the steady state: the end of the first frontend wait that begins after `change`.
// Returns `change.at` at the start of a run, where nothing has to drain, if the change removes the barrier,
// or if no frontend has waited yet. Returns nullopt while that first wait has not ended, because the backlog
// is still draining. Waits for the safety limit do not count, nor do those that begin at or after `until`:
// they are of the next barrier. O(log n + rows up to that wait).
[[nodiscard]] std::optional<Timestamp> steady_from(const trace::Trace& trace, const BarrierChange& change,
                                                   Timestamp until);

// The two ranges around a change. `before`: from the steady state of the previous barrier up to the change.
// `after`: from the steady state of the new barrier up to the next change or the end. If a barrier did not
// reach its steady state before the next change, or finished fewer than four steps in it, the range of this
// barrier begins at the change that set the barrier: a step or two after a backlog say nothing about a rate.
// If the run has parts, each range lies in one part (measured_time() in parts_of_run.h).
struct AroundChange {
  BarrierChange change;
  TimeRange before, after;  // not empty
  // False: the barrier had no steady state in this range, or too few steps in it. So the range holds the
  // backlog of the barrier before it.
  bool before_settled = true, after_settled = true;
};
// Returns all changes of a trace that have a range on both sides, in order. The start of a run is not a
// change.
[[nodiscard]] std::vector<AroundChange> around_changes(const trace::Trace& trace);

}  // namespace runahead::analysis
