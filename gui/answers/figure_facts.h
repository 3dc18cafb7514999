// The figures of a trace that the strip at the bottom of the window shows. A page shows the same figures
// (gui/web/report/report.h).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gui/answers/strip_tracker.h"
#include "instrumentation/analysis/barrier_segments.h"
#include "instrumentation/analysis/run_curves.h"
#include "instrumentation/analysis/segment.h"
#include "instrumentation/analysis/statistics.h"
#include "instrumentation/analysis/trace_summary.h"
#include "instrumentation/base/barrier.h"
#include "instrumentation/predict/forecast.h"
#include "instrumentation/trace/trace.h"

namespace runahead::gui {

// The figures of a measured range. Another thread computes the figures, so they appear a little later than
// the range.
struct RangeFacts {
  analysis::SegmentFigures figures;
  std::vector<analysis::NameStatistics> names;
};

// The strip's curves.
struct CurveFacts {
  std::vector<analysis::CurvePoint> points;
  std::vector<Timestamp> changes;  // changes of the barrier within the points
};

struct FigureFacts {
  // The figures that the strip shows. If the barrier never changed, only `after` is set, and it is about the
  // time since the start.
  std::optional<analysis::BeforeAfter> before_after;
  // Whether the rate of steps is steady on each side. The ratio of the two sides is meaningful only if both
  // sides are steady.
  analysis::Steadiness before, after;
  bool late = false;  // analysis::Lateness::too_much() of one of the two sides
  // The safety limit of this run: ops, and bytes of outputs, in flight. 0: the trace does not say. A damaged
  // trace may say any number.
  double limit_ops = 0, limit_bytes = 0;
  // The part of the run that before_after is of. Empty: the trace has no parts, or the begin of the part was
  // not kept.
  std::string part;
  // True: the strip names the part, because the run has several measured parts or the user measures this
  // part.
  bool names_part = false;
  std::optional<RangeFacts> range;           // the figures of timeline.range
  std::shared_ptr<const CurveFacts> curves;  // nullptr: not computed yet, or in trace mode
  // In trace mode: a summary of the whole trace. nullopt: not computed yet, or not in trace mode.
  std::optional<analysis::TraceSummary> summary;

  // False: the run has parts, and no measured part has begun, so before_after has no figures yet.
  [[nodiscard]] bool measured() const {
    return part.empty() || !before_after || !before_after->after.range.empty();
  }
};

// The forecast for the barrier that the user chose, made before it was chosen.
struct PressedForecast {
  predict::PolicyForecast forecast;
  BarrierPolicy before;  // the barrier at that time
};

// True if the trace is a run of this engine. Checks two signs, because one of them may be missing. A
// recording whose start was removed has no barrier marks, but its metadata names the workload. An export to
// another format may have only the barrier marks.
[[nodiscard]] bool is_run(const trace::Trace& trace);
// True if the strip compares the time before and after a change. False: it summarises the trace. The switches
// of a program make the same marks as the barriers of a run.
[[nodiscard]] bool compares_changes(const trace::Trace& trace);

// Sets the facts that the strip computes from the trace: all but `range`, `curves` and `summary`.
void set_strip(const StripTracker::State& strip, const trace::Trace& trace, FigureFacts& facts);

}  // namespace runahead::gui
