// Tests Successors, the list of an op's edges to its successors. The edges that are pushed before the list is
// closed come out in order. Later edges are refused.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "engine/op_node.h"
#include "engine/op_node_pool.h"
#include "engine/sync/waiter.h"

namespace runahead::engine {
namespace {

struct SuccessorsTest : ::testing::Test {
  // The successors: each edge leads to one of these ops.
  std::vector<std::unique_ptr<OpNode>> nodes = [] {
    std::vector<std::unique_ptr<OpNode>> made;
    for (int i = 0; i < 200; ++i) made.push_back(std::make_unique<OpNode>());
    return made;
  }();
  VarHome& vars = *new VarHome;  // deletes itself
  OpNodePool node_pool{vars};
  ~SuccessorsTest() override { vars.close(); }

  std::vector<const OpNode*> led_to(const ClosedEdges& closed) const {
    std::vector<const OpNode*> ops;
    for (const Edge edge : closed.edges()) ops.push_back(&edge.successor());
    return ops;
  }
  std::vector<const OpNode*> first(std::size_t count) const {
    std::vector<const OpNode*> ops;
    for (std::size_t i = 0; i < count; ++i) ops.push_back(nodes[i].get());
    return ops;
  }
};

TEST_F(SuccessorsTest, ComeOutInTheOrderInWhichTheyWereAddedHoweverMany) {
  OpNode& op = node_pool.take();
  for (std::size_t count = 0; count <= nodes.size(); ++count) {
    op.successors.reset();
    for (std::size_t i = 0; i < count; ++i)
      ASSERT_TRUE(op.successors.push({*nodes[i], EdgeKind::kRead}, node_pool));
    EXPECT_FALSE(op.successors.closed());
    const ClosedEdges closed(op.successors);
    EXPECT_TRUE(op.successors.closed());
    EXPECT_FALSE(op.successors.push({*nodes[0], EdgeKind::kRead}, node_pool));
    ASSERT_EQ(led_to(closed), first(count)) << count;
    node_pool.give(op, nullptr);  // returns the op's edge blocks too
    node_pool.reclaim();
    ASSERT_EQ(&node_pool.take(), &op);
  }
}

TEST_F(SuccessorsTest, AnEdgeKnowsItsKind) {
  for (const EdgeKind kind : {EdgeKind::kOrder, EdgeKind::kRead, EdgeKind::kWrite}) {
    const Edge edge(*nodes[3], kind);
    EXPECT_EQ(edge.kind(), kind);
    EXPECT_EQ(&edge.successor(), nodes[3].get());
    EXPECT_FALSE(edge.is_waiter());
  }
  Waiter waiter;
  EXPECT_TRUE(Edge(waiter).is_waiter());
  EXPECT_EQ(&Edge(waiter).waiter(), &waiter);
}

// The pushing thread learns whether each edge was accepted, no matter when the other thread closes the list.
TEST_F(SuccessorsTest, WhatIsAddedWhileTheyAreClosedIsEitherTakenOrRefused) {
  for (int round = 0; round < 500; ++round) {
    OpNode& op = node_pool.take();
    std::atomic<std::size_t> pushed{0};
    const std::size_t close_at = static_cast<std::size_t>(round) % 24;
    std::vector<const OpNode*> taken;
    std::thread closer([&] {
      while (pushed.load(std::memory_order_relaxed) < close_at) std::this_thread::yield();
      taken = led_to(ClosedEdges(op.successors));
    });
    std::size_t accepted = 0;
    while (accepted < nodes.size() && op.successors.push({*nodes[accepted], EdgeKind::kOrder}, node_pool)) {
      pushed.store(++accepted, std::memory_order_relaxed);
    }
    closer.join();
    ASSERT_EQ(taken, first(accepted)) << round;
    ASSERT_GE(accepted, close_at);
    node_pool.give(op, nullptr);
  }
}

}  // namespace
}  // namespace runahead::engine
