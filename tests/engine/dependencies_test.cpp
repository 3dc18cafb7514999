// Tests that the engine records the dependencies that result from the read and write sets of the ops. The
// result must be the same if some ops have already ended when a later op is enqueued.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <tuple>

#include "engine/device/virtual_device.h"
#include "tests/engine/engine_fixture.h"
#include "tests/record/capture.h"

namespace runahead::engine::test {
namespace {

using namespace runahead::testing;
using trace::DependencyKind;

struct Access {
  std::vector<int> reads, writes;
};
// An edge has the op's index, the index of its predecessor, and the kind of the dependency. The ops are
// numbered in the order of their enqueues.
using Edge = std::tuple<std::size_t, std::size_t, DependencyKind>;

// The expected dependencies, computed naively: an op follows the last writer of each Var that it reads or
// writes. For each Var that it writes, it also follows the ops that have read the Var since the last write.
std::set<Edge> naive_edges(const std::vector<Access>& ops) {
  std::set<Edge> edges;
  for (std::size_t op = 0; op < ops.size(); ++op) {
    const auto touches = [](const std::vector<int>& list, int var) {
      return std::ranges::find(list, var) != list.end();
    };
    const auto follow = [&](int var, bool writes) {
      for (std::size_t before = op; before-- > 0;) {
        if (touches(ops[before].writes, var)) {
          edges.insert(
              {op, before, writes ? DependencyKind::kWriteAfterWrite : DependencyKind::kReadAfterWrite});
          return;
        }
        if (writes && touches(ops[before].reads, var))
          edges.insert({op, before, DependencyKind::kWriteAfterRead});
      }
    };
    for (const int var : ops[op].reads) follow(var, false);
    for (const int var : ops[op].writes) follow(var, true);
  }
  return edges;
}

// If a Var has 8 readers since its last write, the engine forgets the readers that have ended, and records no
// dependencies on them. Here a Var never has more than 7 readers, so the engine forgets none.
std::vector<Access> random_accesses(std::mt19937_64& random, std::size_t count) {
  constexpr int kVars = 12, kMostReaders = 7;
  std::vector<int> readers(kVars, 0);
  std::vector<Access> ops(count);
  for (Access& op : ops) {
    std::vector<int> order(kVars);
    for (int v = 0; v < kVars; ++v) order[static_cast<std::size_t>(v)] = v;
    std::shuffle(order.begin(), order.end(), random);
    const std::size_t reads = random() % 5, writes = random() % 3;
    for (std::size_t i = 0; i < reads + writes; ++i) {
      const bool full = readers[static_cast<std::size_t>(order[i])] == kMostReaders;
      (i < reads && !full ? op.reads : op.writes).push_back(order[i]);
    }
    for (const int v : op.reads) ++readers[static_cast<std::size_t>(v)];
    for (const int v : op.writes) readers[static_cast<std::size_t>(v)] = 0;
  }
  return ops;
}

std::set<Edge> recorded_edges(const trace::Trace& trace, const std::vector<OpHandle>& ops) {
  std::map<OpId, std::size_t> index;
  for (std::size_t i = 0; i < ops.size(); ++i) index.emplace(ops[i].id, i);
  std::set<Edge> edges;
  for (std::uint64_t i = 0; i < trace.dependency_count(); ++i) {
    const trace::Dependency d = trace.dependency(i);
    EXPECT_TRUE(index.contains(d.op) && index.contains(d.on));
    edges.insert({index[d.op], index[d.on], d.kind});
  }
  return edges;
}

std::set<Edge> run(const std::vector<Access>& program, TestEngine& e, std::mt19937_64& random) {
  Capture capture;
  Device* const other = e.engine->device("virtual:0").value();
  std::vector<Var> vars;
  for (int v = 0; v < 12; ++v) vars.push_back(e.var());
  const auto of = [&](const std::vector<int>& list) {
    std::vector<Var> named;
    for (const int v : list) named.push_back(vars[static_cast<std::size_t>(v)]);
    return named;
  };
  std::vector<OpHandle> ops;
  Device* const first = e.device;
  for (const Access& op : program) {
    e.device = random() % 2 == 0 ? first : other;
    ops.push_back(e.op("op", of(op.reads), of(op.writes), [](OpContext&) {}));
    if (random() % 20 != 0) continue;
    // Waits, so that many ops end and the engine reuses their OpNodes.
    EXPECT_TRUE(e.wait_all().ok());
  }
  e.device = first;
  EXPECT_TRUE(e.wait_all().ok());
  return recorded_edges(capture.settle(), ops);
}

TEST(Dependencies, AreThoseOfTheReadAndWriteSetsOnEveryEngine) {
  const std::uint64_t seed = test_seed();
  std::printf("RUNAHEAD_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
  std::mt19937_64 random(seed);
  for (int round = 0; round < 8; ++round) {
    const std::vector<Access> program = random_accesses(random, 150);
    const std::set<Edge> expected = naive_edges(program);
    ASSERT_GT(expected.size(), 100u);
    TestEngine threaded({.cpu_workers = 1 + round % 3});
    EXPECT_EQ(run(program, threaded, random), expected);
    TestEngine naive({.kind = EngineKind::kNaive});
    EXPECT_EQ(run(program, naive, random), expected);
  }
}

TEST(Dependencies, OnAWriterThatEndedLongAgoAreRecordedToo) {
  Capture capture;
  TestEngine e({.cpu_workers = 1});
  const Var x = e.var("x");
  const OpHandle made = e.op("make", {}, {x}, [](OpContext&) {});
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(e.wait_all().ok());
    e.op("read", {x}, {}, [](OpContext&) {});
  }
  EXPECT_TRUE(e.wait_all().ok());
  std::vector<trace::Dependency> found;
  EXPECT_EQ(capture.settle().dependents_of(made.id, 10, found), 3u);
}

TEST(Dependencies, OfAnOpWithManyPredecessorsAreAllThere) {
  Capture capture;
  TestEngine e({.cpu_workers = 2});
  std::vector<Var> vars;
  for (int i = 0; i < 101; ++i) {
    vars.push_back(e.var());
    e.op("make", {}, {vars.back()}, [](OpContext&) {});
  }
  const OpHandle sum = e.op("sum", vars, {}, [](OpContext&) {});
  EXPECT_TRUE(e.wait_all().ok());
  std::vector<trace::Dependency> found;
  EXPECT_EQ(capture.settle().dependencies_of(sum.id, 200, found), 101u);
  EXPECT_EQ(found.back().kind, DependencyKind::kReadAfterWrite);
}

TEST(Dependencies, OfOpsHandedOverTogetherAreTheBulks) {
  Capture capture;
  TestEngine e({.cpu_workers = 1});
  const Var x = e.var("x"), y = e.var("y"), z = e.var("z");
  const OpHandle made = e.op("make", {}, {x}, [](OpContext&) {});
  (void)e.engine->set_bulk(2);
  const OpHandle first = e.op("first", {x}, {y}, [](OpContext&) {});
  // `second` joins the bulk of `first`. Its dependency on `first` is within the bulk, so it is not recorded.
  const OpHandle second = e.op("second", {y}, {z}, [](OpContext&) {});
  ASSERT_EQ(first.id, second.id);
  (void)e.engine->set_bulk(0);
  const OpHandle after = e.op("after", {z}, {}, [](OpContext&) {});
  EXPECT_TRUE(e.wait_all().ok());
  std::vector<trace::Dependency> found;
  ASSERT_EQ(capture.settle().dependencies_of(first.id, 10, found), 1u);
  EXPECT_EQ(found[0].on, made.id);
  ASSERT_EQ(capture.trace.dependencies_of(after.id, 10, found), 1u);
  EXPECT_EQ(found[0].on, first.id);
}

}  // namespace
}  // namespace runahead::engine::test
