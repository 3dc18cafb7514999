// The dependency graph of a few ops: of those in flight at a time, or of those that one step enqueued. Pure.
//
// Nodes stand in the order of enqueuing, so every edge leads from an earlier node to a later one. Two ops are
// tied by one edge at most, of the kind that tells most: read after write, then write after write, then write
// after read. An edge that only orders (the latter two) and that a longer way through the graph implies is
// left out and counted; what an op reads is never left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "instrumentation/trace/trace.h"

namespace runahead::analysis {

enum class OpState : std::uint8_t {
  kWaiting,  // for an earlier op
  kReady,    // for its turn on a device
  kRunning,
  kFinished,
  kSkipped,  // ended without having run
};

struct OpGraphNode {
  trace::OpRow op;
  OpState state{};
  Duration executed{};          // so far
  std::uint32_t elsewhere = 0;  // earlier ops that it had to follow and that are not in the graph
  bool critical = false;
};
struct OpGraphEdge {
  std::uint32_t from = 0, to = 0;  // in OpGraph::nodes
  trace::DependencyKind kind{};
  bool critical = false;
  friend bool operator==(const OpGraphEdge&, const OpGraphEdge&) = default;
};

struct OpGraph {
  Timestamp at{};  // when the states were so
  std::vector<OpGraphNode> nodes;
  std::vector<OpGraphEdge> edges;  // sorted by `to`, then `from`
  std::uint64_t op_count =
      0;  // with those that are no nodes: too many, or (in flight) counted but not listed
  std::uint64_t implied_edges = 0;
  // The way along the edges on which most time was spent executing, by `at`; of equals one with most ops.
  Duration critical_time{};
  std::size_t critical_ops = 0;
};

// Those enqueued by `at` and not ended by then; of more than `most` the first enqueued.
[[nodiscard]] OpGraph graph_in_flight(const trace::Trace& trace, Timestamp at, std::size_t most);

// A step on its frontend's track; one that has not ended yet ends at the watermark.
struct StepOnTrack {
  TrackId track = kNoTrack;
  trace::Slice step;
  friend bool operator==(const StepOnTrack&, const StepOnTrack&) = default;
};
// The innermost step of `track` that holds `t`.
[[nodiscard]] std::optional<StepOnTrack> step_at(const trace::Trace& trace, TrackId track, Timestamp t);
// The step in which `op` was enqueued.
[[nodiscard]] std::optional<StepOnTrack> step_of_op(const trace::Trace& trace, OpId op);
// The one before the step whose op was the last to end: as a rule all of its ops have ended. The latter
// itself where there is none before it.
[[nodiscard]] std::optional<StepOnTrack> latest_step(const trace::Trace& trace);

// The ops enqueued within the step on its track, as they are at the watermark; of more than `most` the first.
[[nodiscard]] OpGraph graph_of_step(const trace::Trace& trace, const StepOnTrack& step, std::size_t most);

}  // namespace runahead::analysis
