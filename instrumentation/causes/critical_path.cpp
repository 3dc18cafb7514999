#include "instrumentation/causes/critical_path.h"

#include <algorithm>
#include <optional>

#include "instrumentation/causes/idle_time.h"
#include "instrumentation/causes/path_names.h"
#include "instrumentation/causes/thread_edges.h"

namespace runahead::causes {
namespace {

// What a segment of the path is named after.
struct Named {
  WorkIndex work = kNone;
  StringId name = kEmptyString;
};

class Walk {
 public:
  Walk(const Execution& execution, const std::vector<Synchronisation>& all, TrackId main, TimeRange range)
      : execution_(execution), all_(all), main_(main), communication_(execution.trace()) {
    path_.range = range;
    known_from_ = range.end;
  }

  CriticalPath run() {
    begin_at_end();
    // Each node is reached at most a few times; the limit is for damaged traces.
    std::size_t steps =
        1000 + 4 * (execution_.works().size() + execution_.calls().size() + execution_.thread_edges().size());
    while (known_from_ > path_.range.begin && (work_ != kNone || thread_ != kNoTrack) && steps-- > 0)
      work_ != kNone ? step_over_work() : step_over_host();
    spend(path_.range.begin, PathClass::kUnknown, kNoTrack);
    std::ranges::reverse(path_.segments);
    return std::move(path_);
  }

 private:
  // Assigns the time from `t` to known_from_, which is the earliest time that is already assigned.
  void spend(Timestamp t, PathClass path_class, TrackId track, Named what = {}) {
    t = std::clamp(t, path_.range.begin, known_from_);
    if (t == known_from_) return;
    path_.segments.push_back({{t, known_from_}, path_class, track, what.work, what.name});
    path_.times[static_cast<std::size_t>(path_class)] += known_from_ - t;
    known_from_ = t;
  }

  // The range ends with the end of the last work, or with the host.
  void begin_at_end() {
    thread_ = main_;
    WorkIndex latest = kNone;
    for (StreamIndex at = 0; at < execution_.streams().size(); ++at) {
      const WorkIndex work = execution_.last_ended(at, path_.range.end, path_.range.end);
      if (work != kNone && (latest == kNone || work_end(work) > work_end(latest))) latest = work;
    }
    if (latest != kNone && (work_end(latest) >= path_.range.end || main_ == kNoTrack)) work_ = latest;
  }
  [[nodiscard]] Timestamp work_end(WorkIndex work) const { return execution_.works()[work].end; }

  void step_over_work() {
    const Work& work = execution_.works()[work_];
    const TrackId track = execution_.streams()[work.stream].track;
    const Named named{kNone, work.name};
    spend(work.end, PathClass::kWaiting, track, named);
    spend(work.begin, class_of(work), track, {work_, work.name});
    const WorkIndex before = execution_.predecessor(work_).work;
    const Timestamp before_end = before == kNone ? Timestamp::min() : work_end(before);
    if (work.is_launched()) {
      const TimeRange call = launch_call(execution_, work);
      if (before == kNone || call.end >= before_end) {
        spend(call.begin, PathClass::kLaunch, track, named);
        work_ = kNone;
        thread_ = work.launched_by;
        return;
      }
    }
    spend(before == kNone ? path_.range.begin : before_end,
          before == kNone ? PathClass::kUnknown : PathClass::kWaiting, track, named);
    work_ = before;
  }

  void step_over_host() {
    const Synchronisation* const sync = last_synchronisation();
    const Timestamp sync_end = sync == nullptr ? path_.range.begin : call_of(*sync).end;
    if (step_over_join(sync_end) || step_over_fork(sync_end)) return;
    spend(sync_end, PathClass::kHost, thread_);
    if (sync == nullptr) {
      thread_ = kNoTrack;
      spend(path_.range.begin, PathClass::kHost, main_);
      return;
    }
    const HostCall& call = call_of(*sync);
    if (sync->awaited == kNone || work_end(sync->awaited) <= call.begin ||
        work_end(sync->awaited) > known_from_) {
      spend(call.begin, PathClass::kHost, thread_);
      return;
    }
    spend(work_end(sync->awaited), PathClass::kWaiting, thread_, {kNone, call.name});
    work_ = sync->awaited;
  }
  [[nodiscard]] const HostCall& call_of(const Synchronisation& sync) const {
    return execution_.calls()[sync.call];
  }

  // The last synchronisation of the thread that began before known_from_.
  [[nodiscard]] const Synchronisation* last_synchronisation() const {
    const auto begin_of = [this](const Synchronisation& sync) {
      return std::pair(call_of(sync).thread, call_of(sync).begin);
    };
    const auto after = std::ranges::lower_bound(all_, std::pair(thread_, known_from_), {}, begin_of);
    if (after == all_.begin()) return nullptr;
    const Synchronisation& found = *std::prev(after);
    return call_of(found).thread == thread_ ? &found : nullptr;
  }

  // If the thread waited for another thread after `from`: goes back to when this thread stopped.
  bool step_over_join(Timestamp from) {
    const auto edges = execution_.thread_edges_to(thread_, {from + Duration{1}, known_from_ + Duration{1}});
    for (auto edge = edges.rbegin(); edge != edges.rend(); ++edge) {
      if (edge->kind != ThreadEdge::Kind::kJoin || edge->from_time <= from) continue;
      spend(edge->from_time, PathClass::kHost, thread_);
      thread_ = edge->from;
      return true;
    }
    return false;
  }

  // If another thread started what the thread did, and that was after `from`: goes back to that thread.
  bool step_over_fork(Timestamp from) {
    if (thread_ == main_ || main_ == kNoTrack) return false;
    const auto edges = execution_.thread_edges_to(thread_, {from + Duration{1}, known_from_});
    for (auto edge = edges.rbegin(); edge != edges.rend(); ++edge) {
      if (edge->kind != ThreadEdge::Kind::kFork) continue;
      if (edge->until < known_from_) break;  // an earlier activity
      return go_to(edge->from, edge->to_time, edge->to_time);
    }
    const std::optional<TimeRange> first = begin_of_activity(from);
    if (!first) return false;
    const ThreadEdge* latest = nullptr;  // of the edges that enter the first slice of the activity
    for (const ThreadEdge& edge : execution_.thread_edges_to(thread_, *first)) {
      const bool uses = edge.kind == ThreadEdge::Kind::kFlow || edge.kind == ThreadEdge::Kind::kSequence;
      if (uses && edge.from_time < first->begin && (latest == nullptr || edge.from_time > latest->from_time))
        latest = &edge;
    }
    if (latest != nullptr) {
      const bool active = is_active(latest->from, first->begin);
      return go_to(latest->from, first->begin, active ? first->begin : latest->from_time);
    }
    const bool same_process = execution_.pid_of(thread_) == execution_.pid_of(main_);
    const TrackId parent = same_process ? main_ : execution_.parent_of(thread_);
    return parent != kNoTrack && go_to(parent, first->begin, first->begin);
  }

  // The thread worked from `begun`. `from` reached the time that this needed at `at`; it is not later.
  bool go_to(TrackId from, Timestamp begun, Timestamp at) {
    spend(begun, PathClass::kHost, thread_);
    spend(at, PathClass::kWaiting, thread_);
    thread_ = from;
    return true;
  }

  [[nodiscard]] bool is_active(TrackId thread, Timestamp t) const {
    const trace::Track& track = execution_.trace().track(thread);
    if (track.lanes.empty()) return false;
    const std::uint64_t row = track.lanes[0].first_row_ending_after(t);
    return row < track.lanes[0].end_row() && track.lanes[0].begin(row) <= t;
  }

  // The first slice of the current activity of the thread, before which it showed nothing, if it began after
  // `from`.
  [[nodiscard]] std::optional<TimeRange> begin_of_activity(Timestamp from) const {
    const trace::Track& track = execution_.trace().track(thread_);
    if (track.lanes.empty()) return std::nullopt;
    const trace::Lane& lane = track.lanes[0];
    std::uint64_t row = lane.first_row_beginning_from(known_from_);
    TimeRange first{known_from_, known_from_};
    while (row > lane.first_row() && first.begin > from) {
      --row;
      if (lane.end(row) + kThreadIdle < first.begin) break;
      if (lane.begin(row) < first.begin) first = {lane.begin(row), lane.end(row)};
    }
    return first.begin > from ? std::optional(first) : std::nullopt;
  }

  [[nodiscard]] PathClass class_of(const Work& work) {
    if (trace::is_copy(work.kind)) return PathClass::kCopy;
    return communication_.has(work.name) ? PathClass::kCommunication : PathClass::kKernel;
  }

  const Execution& execution_;
  const std::vector<Synchronisation>& all_;
  TrackId main_;
  CriticalPath path_;
  Timestamp known_from_;
  // the node that the walk has reached: a piece of work, or a thread at known_from_
  WorkIndex work_ = kNone;
  TrackId thread_ = kNoTrack;
  CommunicationNames communication_;
};

}  // namespace

std::string_view key_of(PathClass path_class) {
  constexpr std::array<std::string_view, kPathClassCount> kKeys{"host",          "launch",  "kernel", "copy",
                                                                "communication", "waiting", "unknown"};
  return kKeys[static_cast<std::size_t>(path_class)];
}

CriticalPath critical_path(const Execution& execution, const std::vector<Synchronisation>& all,
                           const Steps& steps, TimeRange range) {
  CriticalPath path = Walk(execution, all, main_thread(execution, steps), range).run();
  name_path(execution, steps, path);
  return path;
}

}  // namespace runahead::causes
