// BarrierSegment: the time of a run under one barrier, from one barrier change to the next, with the figures
// of its steady part. The window's strip and `run --switch` both use these segments, so both show the same
// figures. Pure; any thread on a snapshot.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "instrumentation/analysis/segment.h"
#include "instrumentation/analysis/steady_rate.h"
#include "instrumentation/trace/trace.h"

namespace runahead::analysis {

struct BarrierSegment {
  std::string barrier;  // the text of the segment's mark: "wait_to_read"; empty: the mark names no barrier
  TimeRange range{};    // from the segment's mark to the next mark, or to the end of the last step
  Timestamp
      drained{};  // when the backlog of the previous barrier ended (steady_from()); range.end: it never ended
  SteadyRate rate;             // of the time after `drained`
  SegmentFigures figures;      // of rate.range if the rate settled, else of all time after `drained`
  std::uint64_t late_ops = 0;  // late ops of a simulated device that ended in figures.range
};
// Returns the segments in time order. Empty: the trace has no barrier marks.
[[nodiscard]] std::vector<BarrierSegment> barrier_segments(const trace::Trace& trace);

// Number of slices that executed late (kSliceLate) and ended in the range. O(rows in the range).
[[nodiscard]] std::uint64_t late_ops_in(const trace::Trace& trace, TimeRange range);

}  // namespace runahead::analysis
