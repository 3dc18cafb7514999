// RunCurves: how the strip's figures changed during the last seconds of a run.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "instrumentation/trace/trace.h"

namespace runahead::analysis {

// The figures of one quarter second.
struct CurvePoint {
  Timestamp begin{};
  // nullopt: not known yet, because no step has ended since the end of the quarter second.
  std::optional<double> steps_per_s;
  double blocked_ratio = 0;                       // as SegmentFigures::blocked_ratio
  double live_bytes = 0;                          // maximum
  double run_ahead_steps = 0, run_ahead_ops = 0;  // maxima
};

// Computes the points of a growing trace. Each point is computed once; only the field steps_per_s of a point
// may become known later. Use on one thread. All traces that are passed must be one growing trace, or
// snapshots of it.
class RunCurves {
 public:
  static constexpr Duration kPoint = std::chrono::milliseconds(250);
  static constexpr std::int64_t kMostPoints = 120;  // 30 s

  // Adds the points of the quarter seconds that ended by the watermark, and drops the points that are too
  // old. O(new points * log n + new rows of the lanes in which frontends wait).
  void update(const trace::Trace& trace);
  // In time order, without gaps. Begins are multiples of kPoint.
  [[nodiscard]] const std::vector<CurvePoint>& points() const { return points_; }

 private:
  std::vector<CurvePoint> points_;
};

}  // namespace runahead::analysis
