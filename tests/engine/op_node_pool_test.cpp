#include "engine/op_node_pool.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace runahead::engine {
namespace {

// A node pool with one thread, which takes the nodes and also returns them.
class OpNodePoolTest : public ::testing::Test {
 protected:
  ~OpNodePoolTest() override { vars_.close(); }

  std::vector<OpNode*> take(std::size_t count) {
    std::vector<OpNode*> nodes;
    for (std::size_t i = 0; i < count; ++i) {
      OpNode& node = node_pool_.take();
      EXPECT_EQ(node.id, kNoOp);
      EXPECT_FALSE(node.done());
      node.id = OpId{++last_number_};
      nodes.push_back(&node);
    }
    return nodes;
  }
  void give(const std::vector<OpNode*>& nodes, OpQueue* returns) {
    for (OpNode* const node : nodes) {
      const ClosedEdges done(node->successors);
      node_pool_.give(*node, returns);
    }
  }
  std::size_t nodes() {
    std::size_t count = 0;
    node_pool_.for_each([&](const OpNode&) { ++count; });
    return count;
  }

  VarHome& vars_ = *new VarHome;  // deletes itself
  OpNodePool node_pool_{vars_};
  OpQueue& returns_ = node_pool_.add_returns();
  std::uint64_t last_number_ = 0;
};

TEST_F(OpNodePoolTest, GivesEachNodeToOneAtATime) {
  const std::vector<OpNode*> first = take(5000);
  EXPECT_EQ(std::set(first.begin(), first.end()).size(), first.size());
  give(first, &returns_);
  const std::vector<OpNode*> second = take(5000);
  EXPECT_EQ(std::set(second.begin(), second.end()).size(), second.size());
  give(second, nullptr);  // null: gives the nodes back as a thread without a return queue does
  const std::vector<OpNode*> third = take(5000);
  EXPECT_EQ(std::set(third.begin(), third.end()).size(), third.size());
  give(third, &returns_);
}

// When many ops were in flight and now only a few are, the pool reuses a few nodes. It does not cycle through
// all nodes.
TEST_F(OpNodePoolTest, FewNodesGoRoundOnceFewOpsAreInFlight) {
  constexpr std::size_t kMany = 20'000;
  give(take(kMany), &returns_);
  const std::size_t all = nodes();
  for (std::size_t i = 0; i < 2 * kMany; ++i) give(take(1), &returns_);
  std::set<OpNode*> seen;
  for (std::size_t i = 0; i < kMany; ++i) {
    const std::vector<OpNode*> taken = take(1);
    seen.insert(taken[0]);
    give(taken, &returns_);
  }
  EXPECT_LT(seen.size(), 1000u);
  EXPECT_EQ(nodes(), all);
}

TEST_F(OpNodePoolTest, WhatWasSetAsideIsUsedBeforeMoreIsMade) {
  constexpr std::size_t kMany = 20'000;
  give(take(kMany), &returns_);
  for (std::size_t i = 0; i < 2 * kMany; ++i) give(take(1), &returns_);
  const std::size_t all = nodes();
  const std::vector<OpNode*> again = take(kMany);
  EXPECT_EQ(std::set(again.begin(), again.end()).size(), kMany);
  EXPECT_LE(nodes(), all + all / 16);
  give(again, &returns_);
}

// A slow worker returns nodes late, and more nodes than the pool reclaims at a time.
TEST_F(OpNodePoolTest, GrowsNoFurtherThanWhatIsInFlight) {
  constexpr std::size_t kInFlight = 3000;
  std::vector<OpNode*> in_flight = take(kInFlight);
  for (int round = 0; round < 1000; ++round) {
    const std::vector<OpNode*> more = take(50);
    in_flight.insert(in_flight.end(), more.begin(), more.end());
    give({in_flight.begin(), in_flight.begin() + 50}, &returns_);
    in_flight.erase(in_flight.begin(), in_flight.begin() + 50);
  }
  EXPECT_LE(nodes(), kInFlight + 1000);
  give(in_flight, &returns_);
}

}  // namespace
}  // namespace runahead::engine
