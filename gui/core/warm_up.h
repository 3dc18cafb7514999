// The strip's figures around the last change of the barrier, updated as the trace grows. The steady state of
// the new barrier begins at analysis::steady_from().
#pragma once

#include <optional>

#include "instrumentation/analysis/segment.h"
#include "instrumentation/analysis/steady_state.h"
#include "instrumentation/trace/trace.h"

namespace runahead::gui {

// StripTracker computes the strip's figures of a growing trace. It reads only the rows that are new since the
// last update. It leaves out execution and copies, which the strip does not show: for a long recording in a
// file it would have to read all rows. One thread. The traces passed must be one growing trace, or its
// snapshots.
class StripTracker {
 public:
  struct State {
    analysis::BeforeAfter figures;  // `after` begins at steady_from, and `before` is steady too, up to the
                                    // change; without a change there is no `before`
    bool draining = false;          // nothing is steady yet: `after` begins at the change
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
