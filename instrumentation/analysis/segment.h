// Figures of one stretch of a trace: what the strip shows before and after a toggle, and what a measured
// range says. Pure functions over a Trace; any thread on a snapshot.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "instrumentation/trace/trace.h"

namespace runahead::analysis {

struct SegmentFigures {
  TimeRange range{};
  double steps = 0;               // finished in it
  double steps_per_s = 0;
  std::uint64_t ops = 0;          // ended in it
  double blocked_ratio = 0;       // share of the frontends' time in kWait slices (the wait, not its nested slices), 0..1
  Duration blocked{};
  double peak_bytes = 0;          // max of the devices' live bytes, summed over devices of the exact maxima of each
  double max_run_ahead_ops = 0, max_run_ahead_bytes = 0, max_run_ahead_steps = 0;
  double copied_bytes = 0;
  Duration busy_execute{}, busy_copy{}, overlap{};  // time with any execution, with any copy, with both
};
[[nodiscard]] SegmentFigures segment_figures(const trace::Trace& trace, TimeRange range);

// Changes of the barrier: instants on a kMarkers track, in order.
struct BarrierChange {
  Timestamp at{};
  std::string label;  // "wait_to_read -> none"
};
[[nodiscard]] std::vector<BarrierChange> barrier_changes(const trace::Trace& trace);

// Before and after the last change: `before` from the change before it (or the start of steps), `after` up to
// the watermark. nullopt without a change.
struct BeforeAfter {
  BarrierChange change;
  SegmentFigures before, after;
};
[[nodiscard]] std::optional<BeforeAfter> around_last_change(const trace::Trace& trace);

}  // namespace runahead::analysis
