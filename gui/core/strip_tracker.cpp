#include "gui/core/strip_tracker.h"

#include <vector>

namespace runahead::gui {

namespace {

using analysis::BarrierChange;
using analysis::SegmentWork;
using analysis::SteadyPart;

BarrierChange first_change(const trace::Trace& trace) {
  const std::vector<BarrierChange> changes = analysis::barrier_changes(trace);
  return changes.empty() ? BarrierChange{trace.extent().begin, ""} : changes.front();
}

// Returns the barrier change at the time `at`. If there is no change at this time, returns a change with an
// empty label.
BarrierChange change_at(const trace::Trace& trace, Timestamp at) {
  for (const BarrierChange& change : analysis::barrier_changes(trace)) {
    if (change.at == at) return change;
  }
  return {at, ""};
}

}  // namespace

void StripTracker::begin_segment(const trace::Trace& trace, const BarrierChange& change,
                                 std::optional<Timestamp> before) {
  state_ = State{};
  state_->figures.change = change;
  after_ = analysis::SegmentAccumulator(change.at, SegmentWork::kLeftOut);
  if (!before) return;
  const SteadyPart part = analysis::steady_part(trace, change_at(trace, *before), change.at);
  state_->figures.before = analysis::figures_of(trace, part);
  state_->before = analysis::steadiness_of(part);
  state_->late_before = analysis::late_share(trace, part.shown);
}

void StripTracker::extend_after(const trace::Trace& trace) {
  const SteadyPart part = analysis::steady_part(trace, state_->figures.change, trace.watermark());
  const TimeRange read = after_.figures().range;
  if (part.shown.begin != read.begin || part.shown.end < read.end)
    after_ = analysis::SegmentAccumulator(part.shown.begin, SegmentWork::kLeftOut);
  after_.extend(trace, part.shown.end);
  state_->figures.after = after_.figures();
  if (part.rate.settled) state_->figures.after.steps_per_s = part.rate.steps_per_s;
  state_->after = analysis::steadiness_of(part);
  state_->late_after = analysis::late_share(trace, part.shown);
}

const std::optional<StripTracker::State>& StripTracker::update(const trace::Trace& trace) {
  if (trace.extent().empty()) {
    state_.reset();
    return state_;
  }
  const std::optional<analysis::LastChange> last = analysis::last_change(trace);
  const BarrierChange change = last ? last->change : first_change(trace);
  if (!state_ || state_->figures.change.at != change.at)
    begin_segment(trace, change, last ? std::optional(last->before_begin) : std::nullopt);
  extend_after(trace);
  return state_;
}

}  // namespace runahead::gui
