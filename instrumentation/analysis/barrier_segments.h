// BarrierSegment: the time in a run under one barrier. It begins at a mark (a BarrierChange: the start of a
// run or a change of the barrier) and ends at the next mark. If the run has parts (parts_of_run.h), the
// figures of a segment cover only one part: the last part with steps that overlaps the segment. If the rate
// of steps becomes steady in a segment, its figures cover only the steady time. The strip at the bottom of
// the window and `run --switch` both use steady_part(), so both measure in the same way. The functions are
// pure; any thread may call them on a snapshot.
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
  kDraining,   // the frontend waits until the backlog of the previous barrier has drained
  kSettling,   // the backlog has drained; the steps do not have a steady rate yet
  kSettled,
};
struct Steadiness {
  Phase phase = Phase::kSettling;
  double spread = 0;  // SteadyRate::spread as a share of the rate: 0.02 is "± 2 %"; 0: no steady rate
};

// The part of a barrier segment for which figures are shown, and whether its rate of steps is steady.
struct SteadyPart {
  Phase phase = Phase::kSettling;
  Timestamp drained{};  // see BarrierSegment::drained
  SteadyRate rate;      // rate of steps in the time after `drained`
  // Time range of the figures. If the rate is steady, it is rate.range. If not, it begins at `drained`, or at
  // the mark if the backlog has not drained yet.
  TimeRange shown{};
};
// Returns the steady part of the segment from `mark` to `end`. Both times are within the trace.
[[nodiscard]] SteadyPart steady_part(const trace::Trace& trace, const BarrierChange& mark, Timestamp end);

// A time of a segment that its figures leave out, and why.
struct LeftOut {
  TimeRange range{};
  Phase phase = Phase::kDraining;
  friend bool operator==(const LeftOut&, const LeftOut&) = default;
};
// Returns the times between the mark and the steady part, in time order: the drain, and then the time until
// the rate was steady. Empty if the figures begin at the mark.
[[nodiscard]] std::vector<LeftOut> left_out(const BarrierChange& mark, const SteadyPart& part);

// Returns the figures of the range part.shown. If the rate is steady, steps_per_s of the figures is
// part.rate.steps_per_s.
[[nodiscard]] SegmentFigures figures_of(const trace::Trace& trace, const SteadyPart& part);
[[nodiscard]] Steadiness steadiness_of(const SteadyPart& part);
// True if the rate is steady before and after a change. Only then is the ratio of the two rates meaningful.
[[nodiscard]] bool both_settled(const Steadiness& before, const Steadiness& after);

// How late the slices of simulated devices are in a time range. A late slice ended after its modelled time,
// because the host had not computed its values yet.
struct Lateness {
  std::uint64_t late_slices = 0;
  // The time by which late slices were at least late (trace::kLateAfter each, over all devices), as a share
  // of the range's time.
  double of_time = 0;
  double of_slices = 0;  // late_slices, as a share of all slices
  // True if figures of the range show the speed of the host and not of the modelled device.
  [[nodiscard]] bool too_much() const { return of_time > kMostLateTime || of_slices > kMostLateSlices; }
  // Measured with training_memory: with 2 % of the time, the factor between two barriers was at most 7 % off;
  // with 5 to 12 %, up to 26 %.
  static constexpr double kMostLateTime = 0.03;
  // For slices that are long and few: they may be late by much more than kLateAfter.
  static constexpr double kMostLateSlices = 0.1;
};
// Reads at most the last `most_rows` rows of each lane, and compares with the time of these rows.
inline constexpr std::uint64_t kMostLateRows = 20'000;
[[nodiscard]] Lateness lateness(const trace::Trace& trace, TimeRange range,
                                std::uint64_t most_rows = kMostLateRows);

struct BarrierSegment {
  std::string barrier;  // the barrier in the label of the segment's mark, such as "wait_to_read"; empty: the
                        // label names no barrier
  TimeRange range{};    // from the segment's mark to the next mark, or to the end of the last step
  // when the backlog of the previous barrier had drained (steady_from()); range.end: it did not drain in this
  // segment; at the start of a run, its begin
  Timestamp drained{};
  SteadyRate rate;         // rate of steps in the time after `drained`
  SegmentFigures figures;  // see figures_of()
  Lateness lateness;       // of all rows in figures.range
  // True if the figures can be compared with those of another segment.
  [[nodiscard]] bool settled() const { return rate.settled && !lateness.too_much(); }
};
// Returns the segments in time order. Empty: the trace has no barrier marks.
[[nodiscard]] std::vector<BarrierSegment> barrier_segments(const trace::Trace& trace);

// Whether the figures before and after a change are final, and if not, why. The strip and the lessons use the
// same rule.
enum class Doubt : std::uint8_t {
  kNone,       // the figures are final
  kUnsettled,  // one of the two sides has no steady rate
  kLate,       // both sides have a steady rate, but too many slices are late
};
// `late`: Lateness::too_much() of one of the two sides.
[[nodiscard]] Doubt doubt_about(const Steadiness& before, const Steadiness& after, bool late);

}  // namespace runahead::analysis
