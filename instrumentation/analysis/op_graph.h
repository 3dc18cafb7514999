// The dependency graph of a few ops: the ops in flight at a given time, or the ops that one step enqueued.
// Pure.
//
// Each node is an op. Nodes are in enqueue order, so every edge leads from an earlier op to a later op that
// depends on it. Two ops have at most one edge. If there are several dependencies between them, the edge has
// the most informative kind: read after write, then write after write, then write after read. In the last two
// kinds, the later op needs no result of the earlier op: the edge only fixes their order. Such an edge is
// omitted, and counted in implied_edges, if a longer path implies the same order. A read-after-write edge is
// never omitted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "instrumentation/trace/trace.h"

namespace runahead::analysis {

enum class OpState : std::uint8_t {
  kWaiting,  // not ready: depends on an op that has not ended
  kReady,    // ready, but not started: waits for its turn on a device
  kRunning,
  kFinished,
  kSkipped,  // ended without having started
};

struct OpGraphNode {
  trace::OpRow op;
  OpState state{};
  Duration executed{};          // execution time so far
  std::uint32_t elsewhere = 0;  // number of ops that this op depends on and that have no node
  bool critical = false;
};
struct OpGraphEdge {
  std::uint32_t from = 0, to = 0;  // indices of OpGraph::nodes
  trace::DependencyKind kind{};
  bool critical = false;
  friend bool operator==(const OpGraphEdge&, const OpGraphEdge&) = default;
};

struct OpGraph {
  Timestamp at{};  // the time for which the graph shows the state of each op
  std::vector<OpGraphNode> nodes;
  std::vector<OpGraphEdge> edges;  // sorted by `to`, then `from`
  // Number of all ops in flight, or of all ops of the step. It includes ops without a node: ops beyond
  // `most`, and ops in flight that only the run-ahead counters count, because the trace has no rows for them.
  std::uint64_t op_count = 0;
  std::uint64_t implied_edges = 0;
  // The critical path: of all paths along the edges, the path whose ops have the longest total execution time
  // up to `at`. If several paths have the same time, the path with the most ops.
  Duration critical_time{};
  std::size_t critical_ops = 0;
};

// The graph of the ops that were in flight at `at`. If there are more than `most` ops, the graph has the ops
// that were enqueued first.
[[nodiscard]] OpGraph graph_in_flight(const trace::Trace& trace, Timestamp at, std::size_t most);

// A step on its frontend's track. A step that has not ended yet ends at the watermark.
struct StepOnTrack {
  TrackId track = kNoTrack;
  trace::Slice step;
  friend bool operator==(const StepOnTrack&, const StepOnTrack&) = default;
};
// Returns the innermost step of `track` that contains `t`.
[[nodiscard]] std::optional<StepOnTrack> step_at(const trace::Trace& trace, TrackId track, Timestamp t);
// Returns the step in which `op` was enqueued.
[[nodiscard]] std::optional<StepOnTrack> step_of_op(const trace::Trace& trace, OpId op);
// Returns a recent step that is usually complete: the step before the step of the op that ended last. If
// there is no earlier step, returns the step of that op.
[[nodiscard]] std::optional<StepOnTrack> latest_step(const trace::Trace& trace);

// The graph of the ops that were enqueued on the step's track during the step, in their state at the
// watermark. If there are more than `most` ops, the graph has the ops that were enqueued first.
[[nodiscard]] OpGraph graph_of_step(const trace::Trace& trace, const StepOnTrack& step, std::size_t most);

}  // namespace runahead::analysis
