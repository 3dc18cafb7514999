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
  std::uint64_t frontends = 0;  // that had any slice in it
  double steps = 0;             // finished in it
  double steps_per_s = 0;
  std::uint64_t ops = 0;  // ended in it
  double blocked_ratio =
      0;  // share of the frontends' time in kWait slices (the wait, not its nested slices), 0..1
  Duration blocked{};
  // Held by a person with nothing in flight: in the range, but no part of steps_per_s and blocked_ratio.
  Duration paused{};
  double peak_bytes = 0;  // max of the devices' live bytes, summed over devices of the exact maxima of each
  double max_run_ahead_ops = 0, max_run_ahead_bytes = 0, max_run_ahead_steps = 0;
  double copied_bytes = 0;
  Duration busy_execute{}, busy_copy{}, overlap{};  // time with any execution, with any copy, with both
};
// The time that rates and shares are of: the range without its pauses.
[[nodiscard]] Duration active_time(const SegmentFigures& figures);

// Whether what all tracks executed and copied is worked out too: it takes every such row in the range, of a
// recording in its file by reading them.
enum class SegmentWork : std::uint8_t { kTold, kLeftOut };

// O(rows in the range) at worst: some 10 ms a million rows of work; counters and ops O(log n). Slices still
// open count up to the watermark. What moves (a copy, a step, an op) counts where it ends, so neighbouring
// segments add up. Without the work (copied_bytes, busy_execute, busy_copy, overlap are 0): O(rows of lanes
// in which frontends wait).
[[nodiscard]] SegmentFigures segment_figures(const trace::Trace& trace, TimeRange range,
                                             SegmentWork work = SegmentWork::kTold);

// Works out steps_per_s and blocked_ratio anew, where the rest was put together from pieces.
void set_ratios(SegmentFigures& figures);

// Frontends with a slice in the range. O(tracks * log n).
[[nodiscard]] std::uint64_t frontends_in(const trace::Trace& trace, TimeRange range);

// Figures of `to` and of the segment right after it, as one. REQUIRES: next.range.begin == to.range.end.
void add_segment(SegmentFigures& to, const SegmentFigures& next);

// Changes of the barrier: instants on a kMarkers track, in order.
struct BarrierChange {
  Timestamp at{};
  std::string label;  // "wait_to_read -> none"
};
[[nodiscard]] std::vector<BarrierChange> barrier_changes(const trace::Trace& trace);

// The first mark of a run ("start: none"): not a change, but where the time before the first change begins.
[[nodiscard]] bool is_start(const BarrierChange& change);

struct LastChange {
  BarrierChange change;
  Timestamp before_begin{};  // the change or the start before it, else the begin of the trace
};
// nullopt without a change since the last start.
[[nodiscard]] std::optional<LastChange> last_change(const trace::Trace& trace);

// Before and after the last change: `before` from the change before it (or the start of steps), `after` up to
// the watermark. nullopt without a change.
struct BeforeAfter {
  BarrierChange change;
  SegmentFigures before, after;
};
[[nodiscard]] std::optional<BeforeAfter> around_last_change(const trace::Trace& trace);

// One segment that grows: reads only the rows since the last call. Equals segment_figures of the whole as
// long as rows are complete up to `until` (so: at most the watermark). Calls may pass later snapshots of one
// trace.
class SegmentAccumulator {
 public:
  explicit SegmentAccumulator(Timestamp begin = {}, SegmentWork work = SegmentWork::kTold) : work_(work) {
    figures_.range = {begin, begin};
  }
  void extend(const trace::Trace& trace, Timestamp until);
  [[nodiscard]] const SegmentFigures& figures() const { return figures_; }

 private:
  SegmentFigures figures_;
  SegmentWork work_;
};

// around_last_change() for a live trace, asked again and again: costs the rows since the last update. One
// thread; the traces passed are one trace as it grows, or its snapshots.
class SegmentTracker {
 public:
  const std::optional<BeforeAfter>& update(const trace::Trace& trace);

 private:
  std::optional<BeforeAfter> state_;
  SegmentAccumulator after_;
};

}  // namespace runahead::analysis
