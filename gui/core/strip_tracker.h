// The strip's figures before and after the last change of the barrier, updated as the trace grows. Each side
// shows its steady part (analysis::steady_part()), as `run --switch` does.
#pragma once

#include <optional>

#include "instrumentation/analysis/barrier_segments.h"
#include "instrumentation/analysis/segment.h"
#include "instrumentation/trace/trace.h"

namespace runahead::gui {

// StripTracker computes the strip's figures of a growing trace. It reads only the rows that are new since the
// last update. It omits execution and copies: the strip does not show them, and for a long recording in a
// file StripTracker would have to read all rows. Use on one thread. All traces that are passed must be one
// growing trace, or snapshots of it.
class StripTracker {
 public:
  struct State {
    analysis::BeforeAfter figures;  // `before` is empty if there was no change
    analysis::Steadiness before, after;
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
