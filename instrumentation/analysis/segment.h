// Figures of a range of a trace: for the strip (before and after a barrier change) and for a measured range.
// Pure functions of a Trace; any thread on a snapshot.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "instrumentation/trace/trace.h"

namespace runahead::analysis {

struct SegmentFigures {
  TimeRange range{};
  std::uint64_t frontends = 0;  // frontends with a slice in the range
  double steps = 0;             // finished in the range
  double steps_per_s = 0;
  std::uint64_t ops = 0;  // ended in the range
  // Share of the frontends' time in kWait slices (the wait, not its nested slices), 0..1.
  double blocked_ratio = 0;
  Duration blocked{};
  // Paused by a person with nothing in flight. Part of the range, but excluded from steps_per_s and
  // blocked_ratio.
  Duration paused{};
  double peak_bytes = 0;  // maximum of the devices' live bytes: the sum of the exact maxima of the devices
  double max_run_ahead_ops = 0, max_run_ahead_bytes = 0, max_run_ahead_steps = 0;
  double copied_bytes = 0;
  Duration busy_execute{}, busy_copy{}, overlap{};  // time with any execution, with any copy, with both
};
// The time to which rates and shares refer: the range without its pauses.
[[nodiscard]] Duration active_time(const SegmentFigures& figures);

// Says whether to compute what all tracks executed and copied. Computing it reads every such row in the
// range, from the file if the recording is in a file.
enum class SegmentWork : std::uint8_t { kIncluded, kLeftOut };

// The cost is at worst O(rows in the range), about 10 ms per million rows of work; counters and ops cost
// O(log n). Open slices count up to the watermark. Steps, ops and copied bytes count where they end, so
// neighbouring segments add up. With kLeftOut, copied_bytes, busy_execute, busy_copy and overlap are 0, and
// the cost is O(rows of the lanes in which frontends wait).
[[nodiscard]] SegmentFigures segment_figures(const trace::Trace& trace, TimeRange range,
                                             SegmentWork work = SegmentWork::kIncluded);

// Recomputes steps_per_s and blocked_ratio after the other figures were added up from chunks.
void set_ratios(SegmentFigures& figures);

// Number of frontends with a slice in the range. O(tracks * log n).
[[nodiscard]] std::uint64_t frontends_in(const trace::Trace& trace, TimeRange range);

// Adds the segment right after `to` to `to`. REQUIRES: next.range.begin == to.range.end.
void add_segment(SegmentFigures& to, const SegmentFigures& next);

// Barrier changes: instants on a kMarkers track, in order.
struct BarrierChange {
  Timestamp at{};
  std::string label;  // such as "wait_to_read -> none"
};
[[nodiscard]] std::vector<BarrierChange> barrier_changes(const trace::Trace& trace);

// The first mark of a run ("start: none"). It is not a change; the time before the first change begins there.
[[nodiscard]] bool is_start(const BarrierChange& change);

struct LastChange {
  BarrierChange change;
  Timestamp before_begin{};  // the previous change or start; else the begin of the trace
};
// nullopt: no change since the last start.
[[nodiscard]] std::optional<LastChange> last_change(const trace::Trace& trace);

// Figures before and after the last change: `before` from the previous change (or the start of steps),
// `after` up to the watermark. nullopt: no change.
struct BeforeAfter {
  BarrierChange change;
  SegmentFigures before, after;
};
[[nodiscard]] std::optional<BeforeAfter> around_last_change(const trace::Trace& trace);

// Figures of one growing segment. Each call reads only the rows since the previous call. The result equals
// segment_figures() of the whole if rows are complete up to `until` (so `until` must be at most the
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

// around_last_change() for a live trace, called repeatedly: each call costs the rows since the last one. One
// thread. The traces passed must be one growing trace, or its snapshots.
class SegmentTracker {
 public:
  const std::optional<BeforeAfter>& update(const trace::Trace& trace);

 private:
  std::optional<BeforeAfter> state_;
  SegmentAccumulator after_;
};

}  // namespace runahead::analysis
