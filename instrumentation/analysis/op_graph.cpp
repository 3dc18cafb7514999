#include "instrumentation/analysis/op_graph.h"

#include <algorithm>
#include <unordered_map>

namespace runahead::analysis {
namespace {

using trace::Dependency;
using trace::DependencyKind;
using trace::kNever;
using trace::OpRow;
using trace::Trace;

bool by(Timestamp moment, Timestamp at) { return moment != kNever && moment <= at; }

// Returns the rank of a kind of dependency. The lower the rank, the more informative the kind.
int rank(DependencyKind kind) {
  if (kind == DependencyKind::kReadAfterWrite) return 0;
  return kind == DependencyKind::kWriteAfterWrite ? 1 : 2;
}

// Stores the ancestors of each node: the nodes from which a path leads to that node.
class Ancestors {
 public:
  explicit Ancestors(std::size_t nodes) : words_((nodes + 63) / 64), bits_(nodes * words_) {}
  [[nodiscard]] bool has(std::size_t node, std::size_t ancestor) const {
    return (bits_[node * words_ + ancestor / 64] >> ancestor % 64 & 1) != 0;
  }
  // Adds `from` and all its ancestors to the ancestors of `to`.
  void lead(std::size_t from, std::size_t to) {
    for (std::size_t w = 0; w < words_; ++w) bits_[to * words_ + w] |= bits_[from * words_ + w];
    bits_[to * words_ + from / 64] |= std::uint64_t{1} << from % 64;
  }

 private:
  const std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

class GraphBuilder {
 public:
  GraphBuilder(const Trace& trace, std::vector<OpRow> ops, std::uint64_t op_count, Timestamp at)
      : trace_(trace) {
    graph_.at = at;
    graph_.op_count = op_count;
    // Ids are assigned in enqueue order, and an op depends only on ops of its own engine. Therefore, after
    // the sort, an op comes after all ops that it depends on.
    std::sort(ops.begin(), ops.end(), [](const OpRow& a, const OpRow& b) { return a.id < b.id; });
    for (const OpRow& op : ops) {
      index_.emplace(op.id, static_cast<std::uint32_t>(graph_.nodes.size()));
      graph_.nodes.push_back({.op = op});
    }
  }

  OpGraph build() {
    for (std::uint32_t i = 0; i < graph_.nodes.size(); ++i) link(i);
    leave_out_implied();
    mark_critical();
    return std::move(graph_);
  }

 private:
  void link(std::uint32_t to) {
    OpGraphNode& node = graph_.nodes[to];
    trace_.dependencies_of(node.op.id, SIZE_MAX, rows_);
    std::sort(rows_.begin(), rows_.end(), [](const Dependency& a, const Dependency& b) {
      return a.on != b.on ? a.on < b.on : rank(a.kind) < rank(b.kind);
    });
    const auto repeats = [](const Dependency& a, const Dependency& b) { return a.on == b.on; };
    rows_.erase(std::unique(rows_.begin(), rows_.end(), repeats), rows_.end());
    bool all_ended = true;
    for (const Dependency& row : rows_) {
      const auto from = index_.find(row.on);
      const bool here = from != index_.end() && from->second < to;
      if (here) {
        graph_.edges.push_back({from->second, to, row.kind});
      } else {
        ++node.elsewhere;
      }
      all_ended = all_ended && ended(here ? graph_.nodes[from->second].op : trace_.op(row.on));
    }
    set_state(node, all_ended);
  }

  // An op that is no longer in the trace ended long ago, so it counts as ended.
  [[nodiscard]] bool ended(const std::optional<OpRow>& op) const { return !op || by(op->ended, graph_.at); }

  void set_state(OpGraphNode& node, bool all_ended) const {
    const OpRow& op = node.op;
    const bool has_ended = by(op.ended, graph_.at);
    if (by(op.started, graph_.at)) {
      node.state = has_ended ? OpState::kFinished : OpState::kRunning;
      node.executed = (has_ended ? op.ended : graph_.at) - op.started;
    } else if (has_ended) {
      node.state = OpState::kSkipped;
    } else {
      // The ready time of an op is recorded only when the op starts. Until then, the op counts as ready if
      // all ops that it depends on have ended.
      const bool ready = op.ready != kNever ? op.ready <= graph_.at : all_ended;
      node.state = ready ? OpState::kReady : OpState::kWaiting;
    }
  }

  // Removes the edges that a longer path implies. Edges are sorted by `to`, so the ancestors of all earlier
  // nodes are complete when a node is handled.
  void leave_out_implied() {
    Ancestors ancestors(graph_.nodes.size());
    std::vector<OpGraphEdge> kept;
    for (auto first = graph_.edges.begin(); first != graph_.edges.end();) {
      const auto last = std::find_if(first, graph_.edges.end(),
                                     [&](const OpGraphEdge& edge) { return edge.to != first->to; });
      for (auto edge = first; edge != last; ++edge) {
        const bool implied = std::any_of(
            first, last, [&](const OpGraphEdge& other) { return ancestors.has(other.from, edge->from); });
        if (implied && edge->kind != DependencyKind::kReadAfterWrite) {
          ++graph_.implied_edges;
        } else {
          kept.push_back(*edge);
        }
      }
      for (auto edge = first; edge != last; ++edge) ancestors.lead(edge->from, edge->to);
      first = last;
    }
    graph_.edges = std::move(kept);
  }

  void mark_critical() {
    if (graph_.nodes.empty()) return;
    struct Way {
      Duration time{};
      std::size_t ops = 0;
      std::size_t through = SIZE_MAX;  // the last edge of the path, as an index of edges; SIZE_MAX: no edge
      [[nodiscard]] bool shorter_than(const Way& other) const {
        return time != other.time ? time < other.time : ops < other.ops;
      }
    };
    std::vector<Way> ways(graph_.nodes.size());
    std::size_t edge = 0;
    for (std::size_t node = 0; node < ways.size(); ++node) {
      for (; edge < graph_.edges.size() && graph_.edges[edge].to == node; ++edge) {
        const Way& before = ways[graph_.edges[edge].from];
        const Way through{before.time, before.ops, edge};
        if (ways[node].through == SIZE_MAX || ways[node].shorter_than(through)) ways[node] = through;
      }
      ways[node].time += graph_.nodes[node].executed;
      ++ways[node].ops;
    }
    const auto longest = std::max_element(ways.begin(), ways.end(),
                                          [](const Way& a, const Way& b) { return a.shorter_than(b); });
    graph_.critical_time = longest->time;
    graph_.critical_ops = longest->ops;
    for (auto node = static_cast<std::size_t>(longest - ways.begin());;) {
      graph_.nodes[node].critical = true;
      const std::size_t through = ways[node].through;
      if (through == SIZE_MAX) break;
      graph_.edges[through].critical = true;
      node = graph_.edges[through].from;
    }
  }

  const Trace& trace_;
  OpGraph graph_;
  std::unordered_map<OpId, std::uint32_t> index_;
  std::vector<Dependency> rows_;
};

// Calls take(slice) for each slice of the track, complete or open, that contains `t`.
template <typename Take>
void slices_containing(const Trace& trace, TrackId track, Timestamp t, Take take) {
  for (const trace::Lane& lane : trace.track(track).lanes) {
    if (lane.empty()) continue;
    const std::uint64_t row = lane.first_row_ending_after(t);
    if (row < lane.end_row() && lane.begin(row) <= t) take(lane.slice(row));
  }
  for (const trace::OpenSlice& open : trace.open_slices()) {
    if (open.track != track || open.slice.begin > t) continue;
    trace::Slice slice = open.slice;
    slice.end = std::max(slice.begin, trace.watermark());
    take(slice);
  }
}

std::optional<StepOnTrack> step_of(const Trace& trace, const OpRow& op) {
  if (op.enqueue_track == kNoTrack || op.enqueued == kNever) return std::nullopt;
  return step_at(trace, op.enqueue_track, op.enqueued);
}

// The last step on the track that ended before `step`.
std::optional<StepOnTrack> step_before(const Trace& trace, const StepOnTrack& step) {
  // This maximum is enough, because there are only a few rows (waits) between two steps.
  constexpr std::uint64_t kMostRows = 64;
  std::optional<StepOnTrack> found;
  for (const trace::Lane& lane : trace.track(step.track).lanes) {
    if (lane.empty()) continue;
    const std::uint64_t end = lane.first_row_beginning_from(step.step.begin);
    for (std::uint64_t row = end; row > lane.first_row() && row + kMostRows > end; --row) {
      const trace::Slice slice = lane.slice(row - 1);
      if (slice.kind != trace::SliceKind::kStep) continue;
      if (!found || slice.begin > found->step.begin) found = StepOnTrack{step.track, slice};
      break;
    }
  }
  return found;
}

// The ops enqueued on the track in the range, in order.
std::vector<OpId> ops_enqueued(const Trace& trace, TrackId track, TimeRange range) {
  std::vector<OpId> found;
  const auto take = [&](const trace::Slice& slice) {
    if (slice.kind == trace::SliceKind::kEnqueue && slice.op != kNoOp) found.push_back(slice.op);
  };
  for (const trace::Lane& lane : trace.track(track).lanes) {
    if (lane.empty()) continue;
    for (std::uint64_t row = lane.first_row_beginning_from(range.begin);
         row < lane.end_row() && lane.begin(row) < range.end; ++row) {
      take(lane.slice(row));
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

// Returns the number of ops in flight, from the run-ahead counters. The op rows of the trace may show fewer
// ops, because a batch of rows lists only some of the ops in flight if there are many.
std::uint64_t ops_counted_at(const Trace& trace, Timestamp at) {
  double count = 0;
  for (const trace::Track& track : trace.tracks()) {
    if (track.info.role == trace::CounterRole::kRunAheadOps) count += track.counter.value_at(at).value_or(0);
  }
  return count > 0 ? static_cast<std::uint64_t>(count) : 0;
}

}  // namespace

OpGraph graph_in_flight(const Trace& trace, Timestamp at, std::size_t most) {
  std::vector<OpRow> ops;
  const std::uint64_t count = trace.ops_in_flight_at(at, most, ops);
  return GraphBuilder(trace, std::move(ops), std::max(count, ops_counted_at(trace, at)), at).build();
}

OpGraph graph_of_step(const Trace& trace, const StepOnTrack& step, std::size_t most) {
  const std::vector<OpId> ids = ops_enqueued(trace, step.track, {step.step.begin, step.step.end});
  std::vector<OpRow> ops;
  for (const OpId id : ids) {
    if (ops.size() == most) break;
    const std::optional<OpRow> row = trace.op(id);
    // The op's row may come from another thread and may not have arrived yet. Until then, only the op's id is
    // known.
    ops.push_back(row ? *row : OpRow{.id = id});
  }
  return GraphBuilder(trace, std::move(ops), ids.size(), trace.watermark()).build();
}

std::optional<StepOnTrack> step_at(const Trace& trace, TrackId track, Timestamp t) {
  std::optional<StepOnTrack> found;
  slices_containing(trace, track, t, [&](const trace::Slice& slice) {
    if (slice.kind != trace::SliceKind::kStep) return;
    if (!found || slice.begin >= found->step.begin) found = StepOnTrack{track, slice};
  });
  return found;
}

std::optional<StepOnTrack> step_of_op(const Trace& trace, OpId op) {
  const std::optional<OpRow> row = trace.op(op);
  return row ? step_of(trace, *row) : std::nullopt;
}

std::optional<StepOnTrack> latest_step(const Trace& trace) {
  constexpr std::uint64_t kMostOps = 4096;
  const std::uint64_t count = trace.op_count();
  for (std::uint64_t i = 0; i < std::min(count, kMostOps); ++i) {
    const OpRow op = trace.op_row(count - 1 - i);
    const std::optional<StepOnTrack> step = op.step >= 0 ? step_of(trace, op) : std::nullopt;
    if (!step) continue;
    return step_before(trace, *step).value_or(*step);
  }
  return std::nullopt;
}

}  // namespace runahead::analysis
