// Figures of a range of a trace: for the strip at the bottom of the window (before and after a barrier
// change) and for a measured range. Pure functions of a Trace; any thread on a snapshot.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "instrumentation/trace/trace.h"

namespace runahead::analysis {

struct SegmentFigures {
  TimeRange range{};
  std::uint64_t frontends = 0;  // number of frontends with a slice in the range
  double steps = 0;             // number of steps finished in the range
  double steps_per_s = 0;
  std::uint64_t ops = 0;  // number of ops that ended in the range
  // Share of the frontends' time in kWait slices (slices nested in a wait do not count again), 0..1.
  double blocked_ratio = 0;
  Duration blocked{};
  // Time in which the user had paused the run and no op was in flight. It is part of the range, but
  // steps_per_s and blocked_ratio exclude it.
  Duration paused{};
  double peak_bytes = 0;  // for each device, the maximum of its live bytes; summed over all devices
  double max_run_ahead_ops = 0, max_run_ahead_bytes = 0, max_run_ahead_steps = 0;
  double copied_bytes = 0;
  // Time in which ops executed; in which copies ran; in which both happened at once.
  Duration busy_execute{}, busy_copy{}, overlap{};
};
// The time to which rates and shares refer: the range without its pauses.
[[nodiscard]] Duration active_time(const SegmentFigures& figures);

// Says whether to compute what all tracks executed and copied. The computation reads every such row in the
// range, from the file if the rows are there.
enum class SegmentWork : std::uint8_t { kIncluded, kLeftOut };

// Computes the figures of a range. Cost: at worst O(rows in the range), which is about 10 ms per million rows
// of executions and copies. Counters and ops cost only O(log n). Open slices count up to the watermark.
// Steps, ops and copied bytes count in the segment in which they end, so the numbers of neighbouring segments
// add up. With kLeftOut, copied_bytes, busy_execute, busy_copy and overlap are 0, and the cost is O(rows of
// the lanes in which frontends wait).
[[nodiscard]] SegmentFigures segment_figures(const trace::Trace& trace, TimeRange range,
                                             SegmentWork work = SegmentWork::kIncluded);

// Recomputes steps_per_s and blocked_ratio after the other figures were added up from chunks.
void set_ratios(SegmentFigures& figures);

// Number of frontends with a slice in the range. O(tracks * log n).
[[nodiscard]] std::uint64_t frontends_in(const trace::Trace& trace, TimeRange range);

// Extends `to` by `next`, the segment that directly follows it. REQUIRES: next.range.begin == to.range.end.
void add_segment(SegmentFigures& to, const SegmentFigures& next);

// Barrier changes, in order: instants on a kMarkers track with the label of a change ("none -> item") or of a
// start ("start: none"). Other instants on such tracks are no barrier changes, for example the global
// instants of Chrome JSON.
struct BarrierChange {
  Timestamp at{};
  std::string label;  // such as "wait_to_read -> none"
};
[[nodiscard]] std::vector<BarrierChange> barrier_changes(const trace::Trace& trace);

// True for the mark at the start of a run ("start: none"). This mark is not a change of the barrier. It shows
// where the range before the first change begins.
[[nodiscard]] bool is_start(const BarrierChange& change);

struct LastChange {
  BarrierChange change;
  // Begin of the range before the change: the previous change or start, or the start of the trace if there is
  // neither.
  Timestamp before_begin{};
};
// nullopt: no change since the last start.
[[nodiscard]] std::optional<LastChange> last_change(const trace::Trace& trace);

// Figures before and after the last change: `before` begins at LastChange::before_begin; `after` ends at the
// watermark. nullopt: no change.
struct BeforeAfter {
  BarrierChange change;
  SegmentFigures before, after;
};
[[nodiscard]] std::optional<BeforeAfter> around_last_change(const trace::Trace& trace);

// Figures of one growing segment. Each call reads only the rows since the previous call. The result equals
// segment_figures() of the whole segment if rows are complete up to `until` (so `until` must be at most the
// watermark). Calls may pass later snapshots of the same trace.
class SegmentAccumulator {
 public:
  explicit SegmentAccumulator(Timestamp begin = {}, SegmentWork work = SegmentWork::kIncluded) : work_(work) {
    figures_.range = {begin, begin};
  }
  void extend(const trace::Trace& trace, Timestamp until);
  [[nodiscard]] const SegmentFigures& figures() const { return figures_; }

 private:
  SegmentFigures figures_;
  SegmentWork work_;
};

// around_last_change() for a live trace, called repeatedly: each call reads only the rows since the last
// call. One thread. All calls must pass the same growing trace, or snapshots of it.
class SegmentTracker {
 public:
  const std::optional<BeforeAfter>& update(const trace::Trace& trace);

 private:
  std::optional<BeforeAfter> state_;
  SegmentAccumulator after_;
};

}  // namespace runahead::analysis
