// The strip's figures around the last change of the barrier, kept up as the trace grows. From when on they
// speak of the new barrier is analysis::steady_from().
#pragma once

#include <optional>

#include "instrumentation/analysis/segment.h"
#include "instrumentation/analysis/steady_state.h"
#include "instrumentation/trace/trace.h"

namespace runahead::gui {

// The strip's figures of a trace that grows: reads only what has come since the last update. Without what was
// executed and copied, which the strip does not show: of a long recording in its file that would be all rows.
// One thread; the traces passed are one trace as it grows, or its snapshots.
class StripTracker {
 public:
  struct State {
    analysis::BeforeAfter figures;  // `after` from steady_from on, `before` likewise up to the change; no
                                    // before without a toggle
    bool draining = false;          // `after` is from the change on, since nothing has settled yet
  };
  // nullopt: an empty trace.
  const std::optional<State>& update(const trace::Trace& trace);

 private:
  void begin_segment(const trace::Trace& trace, const analysis::BarrierChange& change,
                     std::optional<Timestamp> before);

  std::optional<State> state_;
  analysis::SegmentAccumulator after_;
};

}  // namespace runahead::gui
