// Tests a graph of 1000 ops of which one op fails. Exactly the ops that depend on the failed op are skipped.
// All other ops run, and the failure is reported once. The test computes the dependents from the graph alone.
// It does not use the engine's rules of poison (the failure that passes to successors).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <random>
#include <stdexcept>
#include <vector>

#include "tests/engine/engine_fixture.h"

namespace runahead::engine::test {
namespace {

constexpr std::size_t kOps = 1000;

struct GraphOp {
  std::vector<std::size_t> reads, writes;  // indices of Vars
};
struct Graph {
  std::size_t vars = 0;
  std::vector<GraphOp> ops;
};

bool contains(const std::vector<std::size_t>& list, std::size_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

// Each op reads up to three existing Vars and writes a new one. One op in ten also writes an existing Var.
Graph random_graph(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Graph graph;
  for (std::size_t i = 0; i < kOps; ++i) {
    GraphOp op{.reads = {}, .writes = {graph.vars}};
    const auto any_var = [&] { return static_cast<std::size_t>(random() % graph.vars); };
    if (graph.vars > 0 && random() % 10 == 0) op.writes.push_back(any_var());
    const std::size_t reads = graph.vars > 0 ? random() % 4 : 0;
    for (std::size_t r = 0; r < reads; ++r) {
      const std::size_t var = any_var();
      if (!contains(op.reads, var) && !contains(op.writes, var)) op.reads.push_back(var);
    }
    ++graph.vars;
    graph.ops.push_back(std::move(op));
  }
  return graph;
}

// True: `later` reads or writes a Var that `earlier` wrote.
bool depends(const GraphOp& later, const GraphOp& earlier) {
  return std::any_of(earlier.writes.begin(), earlier.writes.end(), [&](std::size_t var) {
    return contains(later.reads, var) || contains(later.writes, var);
  });
}

// The ops that depend on the op `failing`, directly or through other ops.
std::vector<bool> dependents_of(const Graph& graph, std::size_t failing) {
  std::vector<bool> reached(kOps, false);
  std::vector<std::size_t> open{failing};
  while (!open.empty()) {
    const std::size_t from = open.back();
    open.pop_back();
    for (std::size_t to = from + 1; to < kOps; ++to) {
      if (reached[to] || !depends(graph.ops[to], graph.ops[from])) continue;
      reached[to] = true;
      open.push_back(to);
    }
  }
  return reached;
}

// Chooses an op with 50 to 900 dependents. Most early ops have more dependents, because almost all later ops
// depend on them.
std::size_t choose_failing(const Graph& graph) {
  for (std::size_t op = 0; op < kOps; ++op) {
    const std::vector<bool> reached = dependents_of(graph, op);
    const auto count = std::count(reached.begin(), reached.end(), true);
    if (count >= 50 && count <= 900) return op;
  }
  return 0;
}

struct Case {
  const char* name;
  EngineOptions options;
  const char* device;
};
void PrintTo(const Case& of, std::ostream* out) { *out << of.name; }
class FailingGraph : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(
    Everywhere, FailingGraph,
    ::testing::Values(Case{"naive", {.kind = EngineKind::kNaive}, "cpu"},
                      Case{"one_worker", {.cpu_workers = 1}, "cpu"},
                      Case{"four_workers", {.cpu_workers = 4}, "cpu"},
                      Case{"oldest_first", {.cpu_workers = 2, .order = ReadyOrder::kOldest}, "cpu"},
                      Case{"virtual_device", {}, "virtual:0"}, Case{"cuda_device", {}, "cuda:0"}),
    [](const auto& chosen) { return std::string(chosen.param.name); });

TEST_P(FailingGraph, SkipsExactlyTheDependentsRunsTheRestAndTellsOnce) {
  const std::uint64_t seed = test_seed();
  SCOPED_TRACE("RUNAHEAD_TEST_SEED=" + std::to_string(seed));
  std::printf("RUNAHEAD_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
  const Graph graph = random_graph(seed);
  const std::size_t failing = choose_failing(graph);
  const std::vector<bool> skipped = dependents_of(graph, failing);

  TestEngine e(GetParam().options, GetParam().device);
  std::vector<Var> vars;
  for (std::size_t i = 0; i < graph.vars; ++i) vars.push_back(e.var());
  std::vector<std::atomic<int>> runs(kOps);
  OpHandle failed;
  for (std::size_t i = 0; i < kOps; ++i) {
    std::vector<Var> reads, writes;
    for (const std::size_t var : graph.ops[i].reads) reads.push_back(vars[var]);
    for (const std::size_t var : graph.ops[i].writes) writes.push_back(vars[var]);
    const OpHandle op = e.op(i == failing ? "the one" : "op", reads, writes, [&runs, i, failing](OpContext&) {
      runs[i].fetch_add(1);
      if (i == failing) throw std::runtime_error("no more paper");
    });
    if (i == failing) failed = op;
  }
  const std::string told = message_of(e.wait_all());
  EXPECT_THAT(told,
              ::testing::HasSubstr("op 'the one' #" + std::to_string(op_number(failed.id)) + " failed"));
  EXPECT_THAT(told, ::testing::HasSubstr("no more paper"));
  EXPECT_EQ(message_of(e.wait_all()), "") << "reported twice";
  for (const Var& var : vars) EXPECT_EQ(message_of(e.wait(var)), "") << "reported again";
  for (std::size_t i = 0; i < kOps; ++i) EXPECT_EQ(runs[i].load(), skipped[i] ? 0 : 1) << "op " << i;
  const EngineStats stats = e.engine->stats();
  EXPECT_EQ(stats.ops_failed, 1);
  EXPECT_EQ(stats.ops_skipped, std::count(skipped.begin(), skipped.end(), true));
  EXPECT_EQ(stats.in_flight_ops, 0);
}

}  // namespace
}  // namespace runahead::engine::test
