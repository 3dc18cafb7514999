// The figures of the strip (the panel that compares the times before and after the last barrier change),
// updated as the trace grows. If the run has parts (analysis::PartOfRun), the figures are of one part: the
// part that the user measures, or otherwise analysis::main_part(), which is the last part with steps. Each
// side (before and after) covers only the time in which the rate of steps is steady, once there is such a
// time (analysis::steady_part()). `runahead run --switch` measures in the same way.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "gui/timeline/scene/scene.h"
#include "instrumentation/analysis/barrier_segments.h"
#include "instrumentation/analysis/parts/parts_of_run.h"
#include "instrumentation/analysis/segment.h"
#include "instrumentation/trace/trace.h"

namespace runahead::gui {

// StripTracker computes the strip's figures of a growing trace. It reads only the rows that are new since the
// last update, except when the steady part begins at another time than before. It does not compute execution
// and copy times: the strip does not show these times, and to compute them, StripTracker would have to read
// all rows of a long recording. Use on one thread. All traces that are passed must be one growing trace, or
// snapshots of it.
class StripTracker {
 public:
  struct State {
    analysis::BeforeAfter figures;  // `before` is empty if the barrier did not change in the time shown
    analysis::Steadiness before, after;
    bool late_before = false, late_after = false;  // analysis::Lateness::too_much()
    [[nodiscard]] bool late() const { return late_before || late_after; }
    std::vector<analysis::LeftOut> left_out_before, left_out_after;
    // The name of the part that the figures are of. Empty: the trace has no parts, or the begin of the part
    // was not kept. If the ranges of `figures` are empty, no measured part has begun yet, and this is the
    // name of the current part.
    std::string part;
    bool chosen = false;         // true: the user measures this part, and it is not analysis::main_part()
    bool several_parts = false;  // true: the run has more than one measured part
  };
  // `measured`: the range that the user measures. If it is the range of a part, the figures are of that part.
  // The last part may have grown since the user measured it; then the figures cover all of it. Returns
  // nullopt if the trace is empty.
  const std::optional<State>& update(const trace::Trace& trace, std::optional<TimeRange> measured = {});

 private:
  // The time that the figures cover, divided at the last barrier change in it.
  struct Span {
    analysis::BarrierChange change;  // the last change that applies to the time
    std::optional<analysis::BarrierChange>
        before;                // the change before it; nullopt: the barrier did not change in the time
    Timestamp begin{}, end{};  // the time after the change
    bool has_steps = true;
    bool grows = false;  // the end moves with the trace
  };
  static Span span_of(const trace::Trace& trace, TimeRange within, bool grows);
  void begin_segment(const trace::Trace& trace, const Span& span);
  void extend_after(const trace::Trace& trace, const Span& span);
  void show_nothing_measured(Timestamp now, const std::string& part);

  std::optional<State> state_;
  // Where the two sides of state_ begin; nullopt: the side has no figures.
  std::optional<Timestamp> begin_, before_begin_;
  analysis::SegmentAccumulator after_;
};

// The times that the strip compares, and the times that it leaves out. Empty if there is no change to
// compare.
[[nodiscard]] std::vector<ComparedTime> compared_times(const StripTracker::State& strip);
// For each counter whose values depend on the barrier: its maximum in the time before the last change. Empty
// if there is no change to compare.
[[nodiscard]] std::vector<TimelineState::Level> levels_before(const trace::Trace& trace,
                                                              const StripTracker::State& strip);

}  // namespace runahead::gui
