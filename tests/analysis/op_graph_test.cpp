// Tests the dependency graph of the ops in flight, and the graph of a step: nodes, states, edges, the
// critical path.
#include "instrumentation/analysis/op_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "instrumentation/base/format.h"
#include "tests/support/random.h"
#include "tests/support/trace_builder.h"

namespace runahead::analysis {
namespace {

using namespace runahead::testing;
using trace::DependencyKind;
using trace::SliceKind;
using trace::TrackKind;

// One line per node, such as "2 b finished 10 * <- 1 RAW*": number, name, state, execution in ns, incoming
// edges. "*" means that the node or edge is on the critical path. "+1" means that the op depends on one op
// outside the graph.
std::string text_of(const OpGraph& graph, const trace::Trace& trace) {
  static constexpr const char* kStates[] = {"waiting", "ready", "running", "finished", "skipped"};
  static constexpr const char* kKinds[] = {"RAW", "WAR", "WAW"};
  std::string text;
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
    const OpGraphNode& node = graph.nodes[i];
    text += std::to_string(op_number(node.op.id)) + " " + std::string(trace.string(node.op.name)) + " " +
            kStates[static_cast<int>(node.state)] + " " + std::to_string(node.executed.count());
    if (node.critical) text += " *";
    if (node.elsewhere != 0) text += " +" + std::to_string(node.elsewhere);
    for (const OpGraphEdge& edge : graph.edges) {
      if (edge.to != i) continue;
      text += " <- " + std::to_string(op_number(graph.nodes[edge.from].op.id)) + " " +
              kKinds[static_cast<int>(edge.kind)] + (edge.critical ? "*" : "");
    }
    text += "\n";
  }
  return text;
}

TraceBuilder graph_tracks() {
  TraceBuilder builder;
  builder.group("Frontend").track("main", TrackKind::kFrontend);
  builder.group("Workers").track("cpu 0", TrackKind::kWorker);
  return builder;
}
// Adds an op. Its enqueue slice on track main begins at `enqueued` and takes 2 ns.
void add(TraceBuilder& b, std::uint64_t id, const char* name, Duration enqueued,
         std::optional<Duration> started = {}, std::optional<Duration> ended = {}) {
  b.on("main").slice(name, enqueued, 2_ns, SliceKind::kEnqueue, OpId{id});
  b.op(OpId{id}, name, {enqueued, started, started, ended},
       {.step = 0, .enqueue_track = "main", .execute_track = "cpu 0"});
}

// A dependency graph: a and b depend on nothing, c depends on a and b, d depends on a.
TraceBuilder diamond() {
  TraceBuilder b = graph_tracks();
  b.on("main").slice("step", 0_ns, 90_ns, SliceKind::kStep);
  add(b, 1, "a", 10_ns, 20_ns, 40_ns);
  add(b, 2, "b", 20_ns, 40_ns, 50_ns);
  add(b, 3, "c", 30_ns, 50_ns, 80_ns);
  add(b, 4, "d", 40_ns, 80_ns, 85_ns);
  b.depends(OpId{3}, OpId{1}).depends(OpId{3}, OpId{2}).depends(OpId{4}, OpId{1});
  b.watermark(100_ns);
  return b;
}

TEST(OpGraph, OfAStepHasItsOpsTheirEdgesAndTheLongestChain) {
  const trace::Trace trace = diamond().build();
  const auto step = step_of_op(trace, OpId{3});
  ASSERT_TRUE(step.has_value());
  EXPECT_EQ(step->step.begin, at(0_ns));
  const OpGraph graph = graph_of_step(trace, *step, 100);
  EXPECT_EQ(text_of(graph, trace),
            "1 a finished 20 *\n"
            "2 b finished 10\n"
            "3 c finished 30 * <- 1 RAW* <- 2 RAW\n"
            "4 d finished 5 <- 1 RAW\n");
  EXPECT_EQ(graph.op_count, 4u);
  EXPECT_EQ(graph.critical_time, 50_ns);
  EXPECT_EQ(graph.critical_ops, 2u);
}

TEST(OpGraph, OfATimeHasWhatWasInFlightThenAsItWasThen) {
  const trace::Trace trace = diamond().build();
  EXPECT_EQ(text_of(graph_in_flight(trace, at(45_ns), 100), trace),
            "2 b running 5 *\n"
            "3 c waiting 0 * +1 <- 2 RAW*\n"
            "4 d waiting 0 +1\n");
  EXPECT_TRUE(graph_in_flight(trace, at(95_ns), 100).nodes.empty());
  EXPECT_TRUE(graph_in_flight(trace, at(9_ns), 100).nodes.empty());
}

TEST(OpGraph, AnOpenOpIsReadyOnceAllThatItFollowsHasEnded) {
  TraceBuilder b = graph_tracks();
  add(b, 1, "done", 0_ns, 5_ns, 10_ns);
  add(b, 2, "running", 1_ns, 10_ns);
  add(b, 3, "ready", 2_ns);
  add(b, 4, "waiting", 3_ns);
  b.depends(OpId{3}, OpId{1}).depends(OpId{4}, OpId{2}).depends(OpId{4}, OpId{1}).watermark(50_ns);
  const trace::Trace trace = b.build();
  EXPECT_EQ(text_of(graph_in_flight(trace, trace.watermark(), 100), trace),
            "2 running running 40 *\n"
            "3 ready ready 0 +1\n"
            "4 waiting waiting 0 * +1 <- 2 RAW*\n");
}

TEST(OpGraph, AnEdgeThatOnlyOrdersIsLeftOutWhereALongerWayImpliesIt) {
  TraceBuilder b = graph_tracks();
  b.on("main").slice("step", 0_ns, 90_ns, SliceKind::kStep);
  for (std::uint64_t op = 1; op <= 3; ++op) add(b, op, "op", Duration{10 * static_cast<std::int64_t>(op)});
  b.depends(OpId{2}, OpId{1}).depends(OpId{3}, OpId{2}, DependencyKind::kWriteAfterRead);
  b.depends(OpId{3}, OpId{1}, DependencyKind::kWriteAfterWrite);
  const trace::Trace order = b.build();
  const OpGraph graph = graph_of_step(order, *step_of_op(order, OpId{1}), 100);
  EXPECT_EQ(graph.edges, (std::vector<OpGraphEdge>{{0, 1, DependencyKind::kReadAfterWrite, true},
                                                   {1, 2, DependencyKind::kWriteAfterRead, true}}));
  EXPECT_EQ(graph.implied_edges, 1u);
  // Now op 3 also reads a value that op 1 wrote. An edge for data (read after write) is kept, even if a
  // longer path implies it.
  const trace::Trace data = b.depends(OpId{3}, OpId{1}).build();
  EXPECT_EQ(graph_of_step(data, *step_of_op(data, OpId{1}), 100).edges.size(), 3u);
}

TEST(OpGraph, OfTooManyOpsTheFirstAreShownAndAllAreCounted) {
  TraceBuilder b = graph_tracks();
  b.on("main").slice("step", 0_ns, 900_ns, SliceKind::kStep);
  for (std::uint64_t op = 1; op <= 30; ++op) {
    add(b, op, "op", Duration{10 * static_cast<std::int64_t>(op)});
    if (op > 1) b.depends(OpId{op}, OpId{op - 1});
  }
  const trace::Trace trace = b.watermark(1000_ns).build();
  for (const OpGraph& graph :
       {graph_in_flight(trace, at(1000_ns), 10), graph_of_step(trace, *step_of_op(trace, OpId{1}), 10)}) {
    EXPECT_EQ(graph.op_count, 30u);
    ASSERT_EQ(graph.nodes.size(), 10u);
    EXPECT_EQ(op_number(graph.nodes.back().op.id), 10u);
    EXPECT_EQ(graph.edges.size(), 9u);
    EXPECT_EQ(graph.critical_ops, 10u);  // no op has run, so the path with the most ops is critical
  }
}

TEST(OpGraph, OpsInFlightThatAreCountedButNotListedAreCounted) {
  TraceBuilder b = graph_tracks();
  add(b, 1, "op", 10_ns);
  b.counter("run-ahead cpu", trace::CounterRole::kRunAheadOps).sample(10_ns, 1).sample(20_ns, 5000);
  const trace::Trace trace = b.watermark(50_ns).build();
  EXPECT_EQ(graph_in_flight(trace, at(50_ns), 10).op_count, 5000u);
  EXPECT_EQ(graph_in_flight(trace, at(15_ns), 10).op_count, 1u);
}

TEST(OpGraph, TheLatestStepIsTheOneBeforeTheStepWhoseOpEndedLast) {
  TraceBuilder b = graph_tracks();
  for (std::uint64_t step = 0; step < 4; ++step) {
    const Duration begin{static_cast<std::int64_t>(step) * 100};
    b.on("main").slice("step", begin, 90_ns, SliceKind::kStep);
    add(b, step + 1, "op", begin + 10_ns, begin + 20_ns,
        step < 3 ? std::optional(begin + 200_ns) : std::nullopt);
  }
  b.watermark(400_ns);
  const trace::Trace trace = b.build();
  // The op that ended last is op 3, of step 2 (steps are counted from 0). Other ops of step 2 may not have
  // ended yet. Therefore latest_step() returns step 1.
  EXPECT_EQ(latest_step(trace)->step.begin, at(100_ns));
  EXPECT_EQ(step_at(trace, latest_step(trace)->track, at(395_ns)), std::nullopt);
  EXPECT_EQ(latest_step(graph_tracks().build()), std::nullopt);
}

TEST(OpGraph, AStepThatStillRunsIsKnownByWhatItHasEnqueued) {
  TraceBuilder b = graph_tracks();
  b.on("main").open_slice("step", 0_ns, SliceKind::kStep);
  add(b, 1, "a", 10_ns, 20_ns);
  const trace::Trace trace = b.watermark(50_ns).build();
  const auto step = step_of_op(trace, OpId{1});
  ASSERT_TRUE(step.has_value());
  EXPECT_EQ(graph_of_step(trace, *step, 10).nodes.size(), 1u);
}

// For any graph: removing the implied edges does not change which ops an op depends on, directly or
// indirectly, and the critical path is the longest path.
TEST(OpGraph, OfRandomOpsKeepsWhatLeadsWhereAndFindsTheLongestWay) {
  Random random;
  for (int round = 0; round < 20; ++round) {
    TraceBuilder b = graph_tracks();
    b.on("main").slice("step", 0_ns, 100'000_ns, SliceKind::kStep);
    const std::uint64_t count = static_cast<std::uint64_t>(random.integer(1, 90));
    std::map<std::uint64_t, std::set<std::uint64_t>> before;
    std::map<std::uint64_t, std::int64_t> longest;
    std::int64_t most = 0;
    for (std::uint64_t op = 1; op <= count; ++op) {
      const std::int64_t lasts = random.integer(1, 50);
      add(b, op, "op", Duration{10 * static_cast<std::int64_t>(op)}, 2000_ns, 2000_ns + Duration{lasts});
      std::int64_t until = 0;
      for (std::int64_t n = op == 1 ? 0 : random.integer(0, 4); n > 0; --n) {
        const auto on = static_cast<std::uint64_t>(random.integer(1, static_cast<std::int64_t>(op) - 1));
        b.depends(OpId{op}, OpId{on}, static_cast<DependencyKind>(random.integer(0, 2)));
        before[op].insert(on);
        before[op].insert(before[on].begin(), before[on].end());
        until = std::max(until, longest[on]);
      }
      longest[op] = until + lasts;
      most = std::max(most, longest[op]);
    }
    const trace::Trace trace = b.build();
    const OpGraph graph = graph_of_step(trace, *step_of_op(trace, OpId{1}), 1000);
    std::map<std::uint64_t, std::set<std::uint64_t>> kept;
    for (const OpGraphEdge& edge : graph.edges) {
      kept[edge.to + 1].insert(edge.from + 1);
      kept[edge.to + 1].insert(kept[edge.from + 1].begin(), kept[edge.from + 1].end());
    }
    for (std::uint64_t op = 1; op <= count; ++op) ASSERT_EQ(kept[op], before[op]) << op;
    EXPECT_EQ(graph.critical_time.count(), most);
  }
}

}  // namespace
}  // namespace runahead::analysis
