#include "instrumentation/analysis/run_curves.h"

#include <algorithm>

#include "instrumentation/analysis/segment.h"
#include "instrumentation/analysis/steady_rate.h"

namespace runahead::analysis {

namespace {

Timestamp begin_of(std::int64_t index) { return Timestamp{} + RunCurves::kPoint * index; }
std::int64_t index_at(Timestamp t) { return ns_from(t - Timestamp{}) / ns_from(RunCurves::kPoint); }

CurvePoint point_at(const trace::Trace& trace, Timestamp begin) {
  const SegmentFigures figures =
      segment_figures(trace, {begin, begin + RunCurves::kPoint}, SegmentWork::kLeftOut);
  return {.begin = begin,
          .steps_per_s = std::nullopt,
          .blocked_ratio = figures.blocked_ratio,
          .live_bytes = figures.peak_bytes,
          .run_ahead_steps = figures.max_run_ahead_steps,
          .run_ahead_ops = figures.max_run_ahead_ops};
}

// Returns the rate of steps. A step that is partly in the quarter second counts as a fraction (interpolated).
// If only finished steps counted, the rate of long steps would jump between points.
double rate_at(const trace::Trace& trace, Timestamp begin) {
  const double steps = steps_finished_by(trace, begin + RunCurves::kPoint) - steps_finished_by(trace, begin);
  return steps / std::chrono::duration<double>(RunCurves::kPoint).count();
}

}  // namespace

void RunCurves::update(const trace::Trace& trace) {
  const TimeRange all = trace.extent();
  if (all.empty()) return;
  const std::int64_t end = index_at(trace.watermark());
  const std::int64_t first = std::max(index_at(all.begin + kPoint - Duration{1}), end - kMostPoints);
  std::erase_if(points_, [&](const CurvePoint& point) { return point.begin < begin_of(first); });
  const std::int64_t next = points_.empty() ? first : index_at(points_.back().begin) + 1;
  for (std::int64_t index = next; index < end; ++index) points_.push_back(point_at(trace, begin_of(index)));
  const Timestamp known_until = last_step_end(trace, {all.begin, trace.watermark()});
  for (CurvePoint& point : points_) {
    if (!point.steps_per_s && point.begin + kPoint <= known_until)
      point.steps_per_s = rate_at(trace, point.begin);
  }
}

}  // namespace runahead::analysis
