// The figures of the strip (the panel that compares the times before and after the last barrier change),
// updated as the trace grows. Each side (before and after) covers only the time in which the rate of steps is
// steady, once there is such a time (analysis::steady_part()). `runahead run --switch` measures in the same
// way.
#pragma once

#include <algorithm>
#include <optional>

#include "instrumentation/analysis/barrier_segments.h"
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
    analysis::BeforeAfter figures;  // `before` is empty if there was no barrier change
    analysis::Steadiness before, after;
    double late_before = 0, late_after = 0;  // analysis::late_share()
    [[nodiscard]] double late_share() const { return std::max(late_before, late_after); }
  };
  // Returns nullopt if the trace is empty.
  const std::optional<State>& update(const trace::Trace& trace);

 private:
  void begin_segment(const trace::Trace& trace, const analysis::BarrierChange& change,
                     std::optional<Timestamp> before);
  void extend_after(const trace::Trace& trace);

  std::optional<State> state_;
  analysis::SegmentAccumulator after_;
};

}  // namespace runahead::gui
