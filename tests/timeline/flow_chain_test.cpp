#include "gui/timeline/flow_chain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "gui/timeline/slice_walk.h"
#include "gui/timeline/timeline_commands.h"
#include "instrumentation/trace/rows/batch.h"
#include "tests/support/random.h"
#include "tests/timeline/golden.h"
#include "tests/timeline/sample_run.h"

namespace runahead::gui {
namespace {

using namespace testing;

// sample_run() with two dependencies: the copy depends on matmul, and relu depends on the copy.
trace::Trace chained_run() {
  trace::Trace trace = sample_run();
  trace::Batch batch;
  batch.dependencies.push_back({kCopy, kMatmul, trace::DependencyKind::kReadAfterWrite, at(120_us)});
  batch.dependencies.push_back({kRelu, kCopy, trace::DependencyKind::kWriteAfterRead, at(160_us)});
  trace.append(std::move(batch));
  return trace;
}

// One line for each flow of the chain, sorted: "compute 400 -> copy to host 400 (2)". The times are in us.
// The number in brackets is the step of the chain.
std::vector<std::string> words_of(const trace::Trace& trace, const FlowChain& chain) {
  std::vector<std::string> words;
  for (const ChainFlow& one : chain.flows) {
    const auto us = [](Timestamp t) { return std::to_string(ns_from(t) / 1000); };
    words.push_back(trace.track(one.flow.from_track).info.name + " " + us(one.flow.from_time) + " -> " +
                    trace.track(one.flow.to_track).info.name + " " + us(one.flow.to_time) + " (" +
                    std::to_string(one.step) + ")");
  }
  std::sort(words.begin(), words.end());
  return words;
}

using Words = std::vector<std::string>;
const SliceRef kMatmulSlice{kTracks.compute, 0, 0};

TEST(FlowChain, BeginsWithTheDirectFlows) {
  const trace::Trace trace = chained_run();
  const FlowChain chain = flow_chain(trace, kMatmulSlice, 1);
  EXPECT_EQ(words_of(trace, chain), Words{"main 60 -> compute 100 (1)"});
  EXPECT_TRUE(chain.more);
  EXPECT_EQ(chain.omitted, 0u);
}

TEST(FlowChain, GoesOneStepFurtherEachTimeUntilNothingIsLeft) {
  const trace::Trace trace = chained_run();
  const FlowChain two = flow_chain(trace, kMatmulSlice, 2);
  EXPECT_EQ(words_of(trace, two),
            (Words{"compute 400 -> copy to host 400 (2)", "main 60 -> compute 100 (1)"}));
  EXPECT_TRUE(two.more);
  const FlowChain three = flow_chain(trace, kMatmulSlice, 3);
  EXPECT_EQ(words_of(trace, three),
            (Words{"compute 400 -> copy to host 400 (2)", "copy to host 600 -> compute 600 (3)",
                   "copy to host 600 -> main 600 (3)", "main 120 -> copy to host 400 (3)",
                   "main 60 -> compute 100 (1)"}));
  EXPECT_FALSE(three.more) << "relu has no flows";
  EXPECT_EQ(words_of(trace, flow_chain(trace, kMatmulSlice, 9)), words_of(trace, three));
}

TEST(FlowChain, GoesBackwardsToo) {
  const trace::Trace trace = chained_run();
  const FlowChain chain = flow_chain(trace, {kTracks.compute, 0, 1}, 2);  // relu
  EXPECT_EQ(words_of(trace, chain), Words{"copy to host 600 -> compute 600 (2)"});
}

TEST(FlowChain, CountsWhatIsBeyondTheLimit) {
  const trace::Trace trace = chained_run();
  const FlowChain chain = flow_chain(trace, kMatmulSlice, 3, 3);
  EXPECT_EQ(chain.flows.size(), 3u);
  EXPECT_EQ(chain.omitted, 2u);
  EXPECT_FALSE(chain.more) << "more cannot be shown";
}

TEST(FlowChain, OfNothingSelectedOrLetGoIsEmpty) {
  const trace::Trace trace = chained_run();
  EXPECT_TRUE(flow_chain(trace, {kTracks.compute, 0, 99}, 3).flows.empty());
  FlowChain chain = flow_chain(trace, kMatmulSlice, 3);
  update_flow_chain(trace, {}, chain);
  EXPECT_TRUE(chain.flows.empty());
  EXPECT_FALSE(chain.more);
}

TEST(FlowChain, HasNoArrowForHalfAMessage) {
  TraceBuilder builder;
  builder.track("main").slice("sends", 0_us, 10_us).slice("receives", 20_us, 10_us);
  builder.message_out("main", 5_us, 7, "token").message_in("main", 25_us, 7);
  builder.flow(trace::FlowKind::kOther, "main", 6_us, "main", 24_us);
  const trace::Trace trace = builder.build();
  const SliceRef sends{TrackId{0}, 0, 0}, receives{TrackId{0}, 0, 1};
  for (const SliceRef& from : {sends, receives}) {
    const FlowChain chain = flow_chain(trace, from, 3);
    EXPECT_EQ(words_of(trace, chain), Words{"main 6 -> main 24 (1)"});
    EXPECT_EQ(chain.omitted, 0u);
    EXPECT_FALSE(chain.more);
  }
  EXPECT_EQ(along_flow(trace, sends, true), receives);
  EXPECT_EQ(along_flow(trace, receives, true), std::nullopt);
  TimelineState state{.view = range(0_us, 40_us)};
  state.selected = sends;
  EXPECT_EQ(scene_of(trace, state, {500, 400, 1}).arrows.size(), 1u);
}

TEST(FlowChain, FollowsAnotherToolsDependenciesInBothDirections) {
  TraceBuilder builder;
  builder.track("cpu 0", trace::TrackKind::kWorker);
  builder.slice("a", 0_us, 10_us, trace::SliceKind::kExecute, OpId{1});
  builder.slice("b", 20_us, 10_us, trace::SliceKind::kExecute, OpId{2});
  builder.slice("c", 40_us, 10_us, trace::SliceKind::kExecute, OpId{3});
  builder.flow(trace::FlowKind::kOpToOp, "cpu 0", 10_us, "cpu 0", 20_us, OpId{2});
  builder.flow(trace::FlowKind::kOpToOp, "cpu 0", 30_us, "cpu 0", 40_us, OpId{3});
  const trace::Trace trace = builder.build();
  const Words both{"cpu 0 10 -> cpu 0 20 (1)", "cpu 0 30 -> cpu 0 40 (2)"};
  EXPECT_EQ(words_of(trace, flow_chain(trace, {TrackId{0}, 0, 1}, 2)), both);
  EXPECT_EQ(words_of(trace, flow_chain(trace, {TrackId{0}, 0, 0}, 3)),
            (Words{"cpu 0 10 -> cpu 0 20 (2)", "cpu 0 30 -> cpu 0 40 (3)"}));
}

TEST(FlowChain, ASelectionOfAnotherSliceShowsDirectFlowsAgain) {
  const trace::Trace trace = chained_run();
  TimelineState state{.view = range(0_us, 1000_us)};
  apply_timeline(SelectSlice{kMatmulSlice}, trace, state);
  apply_timeline(ShowFlows{3}, trace, state);
  apply_timeline(SelectSlice{kMatmulSlice}, trace, state);
  EXPECT_EQ(state.flow_steps, 3u);
  apply_timeline(SelectSlice{{kTracks.compute, 0, 1}}, trace, state);
  EXPECT_EQ(state.flow_steps, 1u);
  apply_timeline(ShowFlows{0}, trace, state);
  EXPECT_EQ(state.flow_steps, 1u);
}

TEST(FlowChain, AsASceneIsAsReviewed) {
  const trace::Trace trace = chained_run();
  TimelineState state{.view = range(0_us, 1000_us)};
  state.selected = kMatmulSlice;
  state.flow_steps = 3;
  expect_golden("timeline_flow_chain", scene_text(scene_of(trace, state, {500, 400, 1}), trace));
}

// ---- comparison with a naive implementation ---------------------------------------------------------------

// Ops on two workers, each enqueued on main, with random dependencies on earlier ops.
struct RandomOps {
  trace::Trace trace;
  std::vector<std::pair<int, int>> depends;  // each pair: an op, and an earlier op on which it depends
  int count = 0;
};

RandomOps random_ops(Random& random) {
  RandomOps ops;
  ops.count = static_cast<int>(random.integer(2, 40));
  TraceBuilder builder;
  builder.track("main", trace::TrackKind::kFrontend);
  builder.track("cpu 0", trace::TrackKind::kWorker);
  builder.track("cpu 1", trace::TrackKind::kWorker);
  trace::Batch batch;
  for (int i = 1; i <= ops.count; ++i) {
    const OpId op{static_cast<std::uint64_t>(i)};
    const std::string worker = random.chance(0.5) ? "cpu 0" : "cpu 1";
    const Duration enqueue = 10_us * i, start = 1000_us + 10_us * i;
    builder.on("main").slice("op", enqueue, 5_us, trace::SliceKind::kEnqueue, op);
    builder.on(worker).slice("op", start, 8_us, trace::SliceKind::kExecute, op);
    builder.op(op, "op", {enqueue, enqueue, start, start + 8_us}, {0, 0, "main", worker});
    builder.flow(trace::FlowKind::kEnqueueToExecute, "main", enqueue + 5_us, worker, start, op);
  }
  ops.trace = builder.watermark(5000_us).build();
  for (int later = 2; later <= ops.count; ++later) {
    for (int earlier = 1; earlier < later; ++earlier) {
      if (!random.chance(1.5 / ops.count)) continue;
      ops.depends.emplace_back(later, earlier);
      batch.dependencies.push_back({OpId{static_cast<std::uint64_t>(later)},
                                    OpId{static_cast<std::uint64_t>(earlier)},
                                    trace::DependencyKind::kReadAfterWrite, at(10_us * later)});
    }
  }
  ops.trace.append(std::move(batch));
  return ops;
}

// The distance of each op from the op `from`, along dependencies in both directions. The function repeats its
// pass over the dependencies until no distance changes.
std::map<int, int> distances(const RandomOps& ops, int from) {
  std::map<int, int> distance{{from, 0}};
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [later, earlier] : ops.depends) {
      for (const auto& [a, b] : {std::pair(later, earlier), std::pair(earlier, later)}) {
        if (!distance.contains(a)) continue;
        const int through = distance[a] + 1;
        if (distance.contains(b) && distance[b] <= through) continue;
        distance[b] = through;
        changed = true;
      }
    }
  }
  return distance;
}

TEST(FlowChain, EqualsItsNaiveTwinOnRandomOps) {
  Random random;
  for (int round = 0; round < 60; ++round) {
    const RandomOps ops = random_ops(random);
    const int from = static_cast<int>(random.integer(1, ops.count));
    const auto steps = static_cast<std::uint32_t>(random.integer(1, 6));
    const std::map<int, int> distance = distances(ops, from);
    // The chain reaches an op at distance d in step d + 1. Step d + 2 adds the flow from the op's enqueue to
    // its execution, and the dependencies between this op and ops that are farther away. One exception: step
    // 1 adds the flow of the op `from`, at which the chain starts.
    std::multiset<std::pair<int, std::uint32_t>> expected_flows;
    std::size_t expected_dependencies = 0, beyond = 0;
    for (const auto& [op, far] : distance) {
      const auto step = static_cast<std::uint32_t>(far == 0 ? 1 : far + 2);
      step <= steps ? static_cast<void>(expected_flows.emplace(op, step)) : static_cast<void>(++beyond);
    }
    for (const auto& [later, earlier] : ops.depends) {
      if (!distance.contains(later)) continue;
      const int nearer = std::min(distance.at(later), distance.at(earlier));
      ++(static_cast<std::uint32_t>(nearer + 2) <= steps ? expected_dependencies : beyond);
    }
    const SliceRef ref = {TrackId{0}, 0, static_cast<std::uint64_t>(from - 1)};
    const FlowChain chain = flow_chain(ops.trace, ref, steps);
    std::multiset<std::pair<int, std::uint32_t>> flows;
    std::size_t dependencies = 0;
    for (const ChainFlow& one : chain.flows) {
      if (one.flow.kind == trace::FlowKind::kOpToOp) {
        ++dependencies;
      } else {
        flows.emplace(static_cast<int>(raw(one.flow.op)), one.step);
      }
    }
    EXPECT_EQ(flows, expected_flows);
    EXPECT_EQ(dependencies, expected_dependencies);
    EXPECT_EQ(chain.more, beyond > 0) << "step " << steps << " of " << ops.depends.size();
  }
}

}  // namespace
}  // namespace runahead::gui
