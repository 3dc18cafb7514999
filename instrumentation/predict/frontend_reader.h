// FrontendReader: reads what one frontend did, for read_program(). Internal to predict.
#pragma once

#include <array>
#include <compare>
#include <optional>
#include <unordered_map>
#include <vector>

#include "instrumentation/predict/learn_delays.h"
#include "instrumentation/predict/program/program.h"
#include "instrumentation/predict/wake_times.h"
#include "instrumentation/trace/trace.h"

namespace runahead::predict {

// Something that a frontend did, in the order of `at`. Its own time does not include [from, to).
struct FrontendItem {
  Timestamp at{};
  Timestamp from{}, to{};
  Event event;           // of a hold: `target` is the op whose end ended it
  bool is_event = true;  // false: only a time that is not the frontend's own
  // Not an event: a limit or a barrier held the frontend. event.own_cost and event.blocked are of this wait.
  // event.of_policy: it was a barrier.
  bool is_held = false;
};

// The end of an op, at `ended`, ended a wait of this frontend, which returned at `at`.
struct WaitRelease {
  TrackId track = kNoTrack;
  Timestamp at{}, ended{};
  OpId by = kNoOp;
  friend auto operator<=>(const WaitRelease&, const WaitRelease&) = default;
};
// Sorted. The first function returns all, the second one those of waits that returned within `range`.
[[nodiscard]] std::vector<WaitRelease> read_releases(const trace::Trace& trace);
[[nodiscard]] std::vector<WaitRelease> read_releases(const trace::Trace& trace, TrackId frontend,
                                                     TimeRange range);

class FrontendReader {
 public:
  // What all frontends of a run share. It must outlive the readers.
  struct Run {
    const trace::Trace& trace;
    const std::unordered_map<OpId, OpIndex>& ops;
    const std::vector<trace::OpRow>& rows;  // of the ops
    const std::vector<WaitRelease>& releases;
  };
  // Reads the slices that begin in `range`, without the runner's wait for all ops at the end of the run.
  // Waits that ended within `counted` count as blocked, from its begin on.
  FrontendReader(const Run& run, TimeRange range, TimeRange counted)
      : run_(run), range_(range), counted_(counted) {}

  // `end_of_run`: the runner's wait begins before this time; nullopt: it begins after `range`.
  void read(TrackId track, std::optional<Timestamp> end_of_run);
  void add(FrontendItem item) {
    items_.push_back(item);
    if (item.event.action != Action::kDrop) end_ = std::max(end_, item.to);
  }
  // Marks the waits of the policy. If the recording has no wait points, adds them.
  void find_policy(BarrierKind kind, bool has_points);

  // REQUIRES for the following: find_policy() was called.
  [[nodiscard]] std::vector<Event> events() const { return events_after(range_.begin); }
  // The same for a program that begins at `begin`: the frontend performs at once what it had performed by
  // then, and does not wait again for what it had waited for.
  [[nodiscard]] std::vector<Event> events_after(Timestamp begin) const;
  // The waits in which the barrier policy held the frontend before an enqueue.
  [[nodiscard]] const std::vector<BarrierHold>& holds() const { return holds_; }
  [[nodiscard]] Duration blocked() const { return blocked_; }
  // When its last event ended.
  [[nodiscard]] Timestamp end() const { return end_; }
  // The waits that the end of an op ended.
  std::vector<FrontendWake> wakes;
  // The own costs of waits for ops, by how long they were blocked.
  std::array<std::vector<Duration>, kIdleCount> wake_ups;

 private:
  void find_final_wait(TrackId track, Timestamp end_of_run);
  void add_points(BarrierKind kind);
  void add_held_costs();
  void add_slice(const trace::Slice& slice);
  void add_enqueue(const trace::Slice& slice);
  void add_wait(const trace::Slice& slice);
  [[nodiscard]] WaitRelease release_of(const trace::Slice& slice) const;
  [[nodiscard]] OpIndex op_of(OpId id) const {
    const auto found = run_.ops.find(id);
    return found == run_.ops.end() ? kNone : found->second;
  }

  const Run& run_;
  const TimeRange range_;
  const TimeRange counted_;
  TrackId track_ = kNoTrack;
  std::vector<FrontendItem> items_;
  std::vector<BarrierHold> holds_;
  std::vector<TimeRange> loads_;             // when the frontend loaded data
  Timestamp final_wait_ = Timestamp::min();  // when the wait of the runner began
  Timestamp end_ = Timestamp::min();
  Duration blocked_{};
};

}  // namespace runahead::predict
