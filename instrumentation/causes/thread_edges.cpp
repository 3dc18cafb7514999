#include "instrumentation/causes/thread_edges.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "instrumentation/trace/lane_reader.h"

namespace runahead::causes {
namespace {

using trace::Slice;
using trace::SliceKind;
using trace::Track;

// An operator with a sequence number: "Fwd thread id" is 0 in the forward pass, and not 0 in the backward
// pass.
struct SequenceOp {
  std::int64_t pid = 0, number = 0;
  Timestamp begin{}, end{};
  TrackId thread = kNoTrack;

  [[nodiscard]] std::pair<std::int64_t, std::int64_t> key() const { return {pid, number}; }
};

class ThreadEdgeFinder {
 public:
  explicit ThreadEdgeFinder(const Execution& execution) : execution_(execution), trace_(execution.trace()) {}

  ThreadEdges run() {
    find_flows();
    if (!has_forward_flows_) find_sequences();
    find_parents();
    for (const auto& [thread, parent] : out_.parents) find_forks(thread, parent);
    std::ranges::sort(out_.edges, {}, [](const ThreadEdge& edge) {
      return std::tuple(edge.to, edge.to_time, edge.from_time, edge.from, edge.kind);
    });
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool is_thread(TrackId track) const {
    return std::ranges::binary_search(execution_.threads(), track);
  }

  void find_flows() {
    const std::optional<StringId> forward = trace_.find_string("fwdbwd");
    for (std::uint64_t i = 0; i < trace_.flow_count(); ++i) {
      const trace::Flow flow = trace_.flow(i);
      if (flow.kind != trace::FlowKind::kOther || flow.is_half() || flow.from_track == flow.to_track)
        continue;
      if (flow.from_time > flow.to_time || !is_thread(flow.from_track) || !is_thread(flow.to_track)) continue;
      has_forward_flows_ = has_forward_flows_ || flow.name == forward;
      out_.edges.push_back({.from = flow.from_track,
                            .to = flow.to_track,
                            .from_time = flow.from_time,
                            .to_time = flow.to_time,
                            .evidence = Evidence::kRecorded,
                            .kind = ThreadEdge::Kind::kFlow});
    }
  }

  // ---- forward and backward -------------------------------------------------------------------------------

  struct Keys {
    StringId number{}, forward_thread{};
  };
  struct Sequence {
    std::int64_t number = -1;  // -1: the slice has none
    bool backward = false;
  };
  [[nodiscard]] Sequence sequence_of(const Slice& slice, const Keys& keys) const {
    Sequence out;
    for (const trace::Arg& arg : trace_.args(slice.args)) {
      const auto* value = std::get_if<std::int64_t>(&arg.value);
      if (value == nullptr) continue;
      if (arg.key == keys.number) out.number = *value;
      if (arg.key == keys.forward_thread) out.backward = *value != 0;
    }
    return out;
  }
  // Calls found(op, is_backward) for each operator with a sequence number.
  template <typename Found>
  void each_sequence_op(const Keys& keys, Found found) const {
    for (const TrackId thread : execution_.threads()) {
      for (const trace::Lane& lane : trace_.track(thread).lanes) {
        trace::LaneReader reader(lane);
        for (std::uint64_t row = lane.first_row(); row < lane.end_row(); ++row) {
          const Slice slice = reader.slice(row);
          const Sequence sequence = sequence_of(slice, keys);
          if (sequence.number < 0) continue;
          found(SequenceOp{execution_.pid_of(thread), sequence.number, slice.begin, slice.end, thread},
                sequence.backward);
        }
      }
    }
  }

  // The first operator of the backward pass follows the last one of the forward pass with the same number.
  void find_sequences() {
    const auto number = trace_.find_string("Sequence number"), thread = trace_.find_string("Fwd thread id");
    if (!number || !thread) return;
    const Keys keys{*number, *thread};
    std::vector<SequenceOp> backward;
    each_sequence_op(keys, [&](const SequenceOp& op, bool is_backward) {
      if (is_backward) backward.push_back(op);
    });
    if (backward.empty()) return;
    std::ranges::sort(backward, {}, [](const SequenceOp& op) { return std::tuple(op.key(), op.begin); });
    const auto same = std::ranges::unique(backward, {}, &SequenceOp::key);
    backward.erase(same.begin(), same.end());
    std::vector<SequenceOp> forward(backward.size());  // thread: kNoTrack if there is none
    each_sequence_op(keys, [&](const SequenceOp& op, bool is_backward) {
      const auto found = std::ranges::lower_bound(backward, op.key(), {}, &SequenceOp::key);
      if (is_backward || found == backward.end() || found->key() != op.key()) return;
      if (op.thread == found->thread || op.end > found->begin) return;
      SequenceOp& last = forward[static_cast<std::size_t>(found - backward.begin())];
      if (last.thread == kNoTrack || op.end > last.end) last = op;
    });
    for (std::size_t i = 0; i < backward.size(); ++i) {
      if (forward[i].thread == kNoTrack) continue;
      out_.edges.push_back({.from = forward[i].thread,
                            .to = backward[i].thread,
                            .from_time = forward[i].end,
                            .to_time = backward[i].begin,
                            .evidence = Evidence::kInferred,
                            .kind = ThreadEdge::Kind::kSequence});
    }
  }

  // ---- fork and join --------------------------------------------------------------------------------------

  [[nodiscard]] std::size_t launches_of(TrackId thread) const {
    return execution_.launched_during(thread, {Timestamp::min(), Timestamp::max()}).size();
  }

  // Linux gives the main thread the number of the process. Otherwise: the thread that launched most work.
  [[nodiscard]] std::map<std::int64_t, TrackId> main_threads() const {
    std::map<std::int64_t, TrackId> out;
    for (const TrackId thread : execution_.threads()) {
      const std::int64_t pid = execution_.pid_of(thread);
      if (pid == 0) continue;
      const auto [entry, is_new] = out.try_emplace(pid, thread);
      if (is_new) continue;
      const auto rank = [&](TrackId at) {
        return std::pair(trace_.track(at).info.tid == pid, launches_of(at));
      };
      if (rank(thread) > rank(entry->second)) entry->second = thread;
    }
    return out;
  }

  void find_parents() {
    std::map<std::pair<TrackId, TrackId>, std::size_t> counts;  // by (to, from)
    for (const ThreadEdge& edge : out_.edges) {
      if (execution_.pid_of(edge.from) == execution_.pid_of(edge.to)) ++counts[{edge.to, edge.from}];
    }
    const std::map<std::int64_t, TrackId> mains = main_threads();
    for (const TrackId thread : execution_.threads()) {
      const auto main = mains.find(execution_.pid_of(thread));
      if (main == mains.end() || main->second == thread) continue;
      TrackId parent = main->second;
      std::size_t most = 0;
      for (auto at = counts.lower_bound({thread, TrackId{}}); at != counts.end() && at->first.first == thread;
           ++at) {
        if (at->second <= most) continue;
        most = at->second;
        parent = at->first.second;
      }
      out_.parents.emplace_back(thread, parent);
    }
  }

  // The time around `t` in which the thread shows no begin or end of a slice. Empty: it is in a call of a
  // runtime then, or shows nothing before or after.
  [[nodiscard]] TimeRange quiet_around(TrackId thread, Timestamp t) const {
    TimeRange quiet{Timestamp::min(), Timestamp::max()};
    for (const trace::Lane& lane : trace_.track(thread).lanes) {
      const std::uint64_t row = lane.first_row_ending_after(t);
      if (row > lane.first_row()) quiet.begin = std::max(quiet.begin, lane.end(row - 1));
      if (row == lane.end_row()) break;
      const Slice slice = lane.slice(row);
      if (slice.begin > t) {
        quiet.end = std::min(quiet.end, slice.begin);
        break;
      }
      if (slice.kind != SliceKind::kZone && slice.kind != SliceKind::kStep) return {};
      quiet = {std::max(quiet.begin, slice.begin), std::min(quiet.end, slice.end)};
    }
    return quiet.begin == Timestamp::min() || quiet.end == Timestamp::max() ? TimeRange{} : quiet;
  }

  // Slices of a thread within one quiet time of its parent.
  struct Activity {
    TimeRange quiet, range;
  };

  void find_forks(TrackId thread, TrackId parent) {
    const Track& track = trace_.track(thread);
    if (track.lanes.empty()) return;
    const trace::Lane& lane = track.lanes[0];
    trace::LaneReader reader(lane);
    Activity activity{};
    Timestamp active_until = Timestamp::min();
    for (std::uint64_t row = lane.first_row(); row < lane.end_row(); ++row) {
      const TimeRange slice = reader.times(row);
      if (slice.begin < activity.quiet.end) {
        activity.range.end = std::max(activity.range.end, slice.end);
      } else {
        add_fork(thread, parent, activity);
        activity = {};
        // begin - kThreadIdle: Timestamp::min() + kThreadIdle is still long before any slice
        if (active_until <= slice.begin - kThreadIdle) activity = {quiet_around(parent, slice.begin), slice};
      }
      active_until = std::max(active_until, slice.end);
    }
    add_fork(thread, parent, activity);
  }

  // The parent waited for the thread only if the thread stopped before the parent went on, and was active for
  // most of this time: otherwise the parent did something that it does not show.
  void add_fork(TrackId thread, TrackId parent, const Activity& activity) {
    const auto& [quiet, range] = activity;
    if (quiet.empty() || range.empty() || range.begin < quiet.begin || range.end > quiet.end) return;
    if (2 * range.duration() < quiet.duration()) return;
    out_.edges.push_back({.from = parent,
                          .to = thread,
                          .from_time = range.begin,
                          .to_time = range.begin,
                          .until = range.end,
                          .evidence = Evidence::kInferred,
                          .kind = ThreadEdge::Kind::kFork});
    out_.edges.push_back({.from = thread,
                          .to = parent,
                          .from_time = range.end,
                          .to_time = quiet.end,
                          .evidence = Evidence::kInferred,
                          .kind = ThreadEdge::Kind::kJoin});
  }

  const Execution& execution_;
  const trace::Trace& trace_;
  ThreadEdges out_;
  bool has_forward_flows_ = false;
};

}  // namespace

ThreadEdges find_thread_edges(const Execution& execution) { return ThreadEdgeFinder(execution).run(); }

}  // namespace runahead::causes
