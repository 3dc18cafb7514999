// BarrierSegment: the time of a run under one barrier, from its change to the next, with the figures of its
// steady part. The strip and `run --switch` both read them from here, so they show the same figures. Pure;
// any thread on a snapshot.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "instrumentation/analysis/segment.h"
#include "instrumentation/analysis/steady_rate.h"
#include "instrumentation/trace/trace.h"

namespace runahead::analysis {

struct BarrierSegment {
  std::string barrier;  // as in its mark: "wait_to_read"; empty: a mark that names none
  TimeRange range{};    // from its mark to the next one, or to the end of the last step
  Timestamp
      drained{};    // the backlog of the barrier before ends here (steady_from()); range.end: it never did
  SteadyRate rate;  // after `drained`
  SegmentFigures figures;      // of rate.range if settled, else of everything after `drained`
  std::uint64_t late_ops = 0;  // of a simulated device, ended in figures.range
};
// In order. Empty: the trace has no marks of barriers.
[[nodiscard]] std::vector<BarrierSegment> barrier_segments(const trace::Trace& trace);

// Slices that executed late (kSliceLate) and ended in the range. O(rows in the range).
[[nodiscard]] std::uint64_t late_ops_in(const trace::Trace& trace, TimeRange range);

}  // namespace runahead::analysis
