// BarrierSegment: the part of a run under one barrier, from one barrier change to the next, with the figures
// of its steady time. The window's strip and `run --switch` both use these segments, so both show the same
// figures. Pure; any thread on a snapshot.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "instrumentation/analysis/segment.h"
#include "instrumentation/analysis/steady_rate.h"
#include "instrumentation/trace/trace.h"

namespace runahead::analysis {

enum class Phase : std::uint8_t {
  kWarmingUp,  // the run has just started: its steps do not have a steady rate yet
  kDraining,   // the frontend waits for the backlog of the previous barrier
  kSettling,   // the backlog has drained; the steps do not have a steady rate yet
  kSettled,
};
struct Steadiness {
  Phase phase = Phase::kSettling;
  double spread = 0;  // SteadyRate::spread divided by the rate: 0.02 is "± 2 %"; 0: not settled
};

// The part of the time under one barrier for which figures are shown.
struct SteadyPart {
  Phase phase = Phase::kSettling;
  Timestamp drained{};  // see BarrierSegment::drained
  SteadyRate rate;      // rate in the time after `drained`
  TimeRange shown{};    // time range of the figures: rate.range if the rate is steady, otherwise all time
                        // after `drained`; all time from the mark while the backlog still drains
};
// Returns the steady part of the time from `mark` to `end`. Both are within the trace.
[[nodiscard]] SteadyPart steady_part(const trace::Trace& trace, const BarrierChange& mark, Timestamp end);
// Returns the figures of part.shown. If the rate is steady, steps_per_s is this rate.
[[nodiscard]] SegmentFigures figures_of(const trace::Trace& trace, const SteadyPart& part);
[[nodiscard]] Steadiness steadiness_of(const SteadyPart& part);
// True if both sides of a change have a steady rate. Only then the ratio of the two rates is meaningful.
[[nodiscard]] bool both_settled(const Steadiness& before, const Steadiness& after);

struct BarrierSegment {
  std::string barrier;     // barrier that the segment's mark names, such as "wait_to_read"; empty: the mark
                           // names no barrier
  TimeRange range{};       // from the segment's mark to the next mark, or to the end of the last step
  Timestamp drained{};     // when the backlog of the previous barrier ended (steady_from()); range.end: the
                           // backlog never ended
  SteadyRate rate;         // rate in the time after `drained`
  SegmentFigures figures;  // see figures_of()
  std::uint64_t late_ops = 0;  // late ops of a simulated device that ended in figures.range
};
// Returns the segments in time order. Empty: the trace has no barrier marks.
[[nodiscard]] std::vector<BarrierSegment> barrier_segments(const trace::Trace& trace);

// Returns the number of late slices (kSliceLate) that ended in the range. O(rows in the range).
[[nodiscard]] std::uint64_t late_ops_in(const trace::Trace& trace, TimeRange range);

}  // namespace runahead::analysis
