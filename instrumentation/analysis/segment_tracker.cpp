#include <algorithm>
#include <utility>

#include "instrumentation/analysis/segment.h"

namespace runahead::analysis {

void add_segment(SegmentFigures& to, const SegmentFigures& next) {
  if (next.range.empty()) return;
  if (to.range.empty()) {
    const Timestamp begin = to.range.begin;
    to = next;
    to.range.begin = std::min(begin, next.range.begin);
    return;
  }
  to.range.end = next.range.end;
  to.steps += next.steps;
  to.ops += next.ops;
  to.blocked += next.blocked;
  to.held_by_limit += next.held_by_limit;
  to.paused += next.paused;
  to.frontends = std::max(to.frontends, next.frontends);
  to.peak_bytes = std::max(to.peak_bytes, next.peak_bytes);
  to.max_run_ahead_ops = std::max(to.max_run_ahead_ops, next.max_run_ahead_ops);
  to.max_run_ahead_bytes = std::max(to.max_run_ahead_bytes, next.max_run_ahead_bytes);
  to.max_run_ahead_steps = std::max(to.max_run_ahead_steps, next.max_run_ahead_steps);
  to.copied_bytes += next.copied_bytes;
  to.busy_execute += next.busy_execute;
  to.busy_copy += next.busy_copy;
  to.overlap += next.overlap;
  set_ratios(to);
}

void SegmentAccumulator::extend(const trace::Trace& trace, Timestamp until) {
  if (until <= figures_.range.end) return;
  add_segment(figures_, segment_figures(trace, {figures_.range.end, until}, work_));
}

const std::optional<BeforeAfter>& SegmentTracker::update(const trace::Trace& trace) {
  const auto last = last_change(trace);
  if (!last) {
    state_.reset();
    after_ = SegmentAccumulator(trace.watermark());
    return state_;
  }
  const Timestamp at = last->change.at;
  if (!state_ || state_->change.at != at || state_->change.label != last->change.label) {
    // The barrier has changed. So far, after_ has the figures since the previous change. They become the
    // figures `before` the new change, if they begin at the previous change and do not extend past the new
    // change. Otherwise the figures `before` are computed again.
    const TimeRange known = after_.figures().range;
    const bool usable = known.begin == last->before_begin && known.end <= at;
    SegmentAccumulator before =
        usable ? std::exchange(after_, SegmentAccumulator(at)) : SegmentAccumulator(last->before_begin);
    before.extend(trace, at);
    state_ = BeforeAfter{last->change, before.figures(), {}};
    after_ = SegmentAccumulator(at);
  }
  after_.extend(trace, trace.watermark());
  state_->after = after_.figures();
  return state_;
}

}  // namespace runahead::analysis
