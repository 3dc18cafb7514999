// Figures of a time range (a segment) of a trace, such as steps per second. The strip at the bottom of the
// window shows the figures before and after a barrier change; the details panel shows those of a measured
// range. The functions are pure; any thread may call them on a snapshot.
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
  // The part of `blocked` in which the engine's safety limit held the frontends (kSliceHeldByLimit), and its
  // share of the frontends' time. The rest of `blocked` is waits for the barrier or for a result.
  Duration held_by_limit{};
  double held_by_limit_ratio = 0;
  // Time in which the user had paused the run and no op was in flight. It is part of the range, but
  // steps_per_s, blocked_ratio and held_by_limit_ratio exclude it.
  Duration paused{};
  // The maximum of live bytes of each device, summed over the devices. The maxima may be at different times.
  double peak_bytes = 0;
  double max_run_ahead_ops = 0, max_run_ahead_bytes = 0, max_run_ahead_steps = 0;
  double copied_bytes = 0;
  // busy_execute: the time in which at least one execution ran. busy_copy: the time in which at least one
  // copy ran. overlap: the time in which both an execution and a copy ran.
  Duration busy_execute{}, busy_copy{}, overlap{};
};
// The time to which rates and shares refer: the range without its pauses.
[[nodiscard]] Duration active_time(const SegmentFigures& figures);

// Says whether to compute the figures of executions and copies. To compute them, every row of an execution or
// copy in the range is read. Rows that are not in memory are read from the file.
enum class SegmentWork : std::uint8_t { kIncluded, kLeftOut };

// Computes the figures of a range. Cost with kIncluded: at worst O(rows in the range), which is about 10 ms
// per million rows of executions and copies. Counters and ops cost only O(log n). Open slices count up to the
// watermark. Steps, ops and copied bytes count in the segment in which they end, so the numbers of
// neighbouring segments add up. With kLeftOut, copied_bytes, busy_execute, busy_copy and overlap are 0, and
// the cost is O(rows of the lanes in which frontends wait).
[[nodiscard]] SegmentFigures segment_figures(const trace::Trace& trace, TimeRange range,
                                             SegmentWork work = SegmentWork::kIncluded);

// Computes steps_per_s, blocked_ratio and held_by_limit_ratio from the other figures. Needed after the
// figures of several ranges were added up, because these ratios cannot be added.
void set_ratios(SegmentFigures& figures);

// Returns the number of frontends with a slice in the range. O(tracks * log n).
[[nodiscard]] std::uint64_t frontends_in(const trace::Trace& trace, TimeRange range);

// Extends `to` by `next`, the segment that directly follows it. REQUIRES: next.range.begin == to.range.end.
void add_segment(SegmentFigures& to, const SegmentFigures& next);

// A change of the barrier, or the start of a run. Both are recorded as instants on a kMarkers track, with a
// label such as "none -> item" or "start: none". Other instants on such tracks do not count, for example the
// global instants of Chrome JSON. barrier_changes() returns all changes and starts in time order. If several
// processes are on the timeline, a change of all of them has a mark of each process. It is returned once, at
// the time of the first mark: a mark with the label of the mark before, on another track, is such a
// repetition.
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
  // Where the range before the change begins: at the barrier change or run start before it; if there is
  // neither, at the start of the trace.
  Timestamp before_begin{};
};
// Returns the last barrier change. nullopt: the barrier did not change since the last start of a run.
[[nodiscard]] std::optional<LastChange> last_change(const trace::Trace& trace);

// The figures of two ranges: from LastChange::before_begin to the last change, and from the last change to
// the watermark. around_last_change() returns nullopt if there is no change.
struct BeforeAfter {
  BarrierChange change;
  SegmentFigures before, after;
};
[[nodiscard]] std::optional<BeforeAfter> around_last_change(const trace::Trace& trace);

// Computes the figures of one segment that grows. Each call of extend() extends the segment to `until`, and
// reads only the rows since the previous call. The result equals segment_figures() of the whole segment if no
// rows before `until` are still missing, so `until` must be at most the watermark. Calls may pass later
// snapshots of the same trace.
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

// Computes the same as around_last_change(), but for a trace that grows: each call reads only the rows since
// the previous call. Use on one thread. All calls must pass the same growing trace, or snapshots of it.
class SegmentTracker {
 public:
  const std::optional<BeforeAfter>& update(const trace::Trace& trace);

 private:
  std::optional<BeforeAfter> state_;
  SegmentAccumulator after_;
};

}  // namespace runahead::analysis
