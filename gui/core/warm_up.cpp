#include "gui/core/warm_up.h"

#include <vector>

namespace runahead::gui {

namespace {

using analysis::BarrierChange;
using analysis::steady_from;

BarrierChange first_change(const trace::Trace& trace) {
  const std::vector<BarrierChange> changes = analysis::barrier_changes(trace);
  return changes.empty() ? BarrierChange{trace.extent().begin, ""} : changes.front();
}

// The change at `at`, for its label. Without a label if there is no change at that time.
BarrierChange change_at(const trace::Trace& trace, Timestamp at) {
  for (const BarrierChange& change : analysis::barrier_changes(trace)) {
    if (change.at == at) return change;
  }
  return {at, ""};
}

}  // namespace

void StripTracker::begin_segment(const trace::Trace& trace, const BarrierChange& change,
                                 std::optional<Timestamp> before) {
  const std::optional<Timestamp> steady = steady_from(trace, change);
  const bool same = state_ && state_->figures.change.at == change.at;
  if (same && after_.figures().range.begin == steady.value_or(change.at)) return;
  if (!same) {
    state_ = State{};
    state_->figures.change = change;
    if (before) {
      Timestamp from = steady_from(trace, change_at(trace, *before)).value_or(*before);
      if (from >= change.at) from = *before;
      state_->figures.before =
          analysis::segment_figures(trace, {from, change.at}, analysis::SegmentWork::kLeftOut);
    }
  }
  state_->draining = !steady.has_value();
  after_ = analysis::SegmentAccumulator(steady.value_or(change.at), analysis::SegmentWork::kLeftOut);
}

const std::optional<StripTracker::State>& StripTracker::update(const trace::Trace& trace) {
  if (trace.extent().empty()) {
    state_.reset();
    return state_;
  }
  if (const std::optional<analysis::LastChange> last = analysis::last_change(trace)) {
    begin_segment(trace, last->change, last->before_begin);
  } else {
    begin_segment(trace, first_change(trace), std::nullopt);
  }
  after_.extend(trace, trace.watermark());
  state_->figures.after = after_.figures();
  return state_;
}

}  // namespace runahead::gui
