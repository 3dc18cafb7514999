// Tests OpQueue: each op comes out once, in the order in which the ops were pushed. The tests use several
// numbers of ops, and drain in several ways.
#include "engine/op_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <span>
#include <thread>
#include <vector>

#include "engine/op_node.h"
#include "instrumentation/base/spin_pause.h"
#include "tests/support/random.h"
#include "tests/support/rounds.h"

namespace runahead::engine {
namespace {

using testing::Random;

// Drains up to `most` ops.
std::vector<OpNode*> drained(OpQueue& op_queue, std::size_t most) {
  std::vector<OpNode*> all;
  const std::size_t count = op_queue.drain(
      [&](std::span<OpNode* const> ops) { all.insert(all.end(), ops.begin(), ops.end()); }, most);
  EXPECT_EQ(count, all.size());
  EXPECT_LE(count, most);
  return all;
}

TEST(OpQueue, IsEmptyUntilSomethingIsPushed) {
  OpQueue op_queue;
  OpNode node;
  EXPECT_FALSE(op_queue.has_next());
  EXPECT_FALSE(op_queue.has_more());
  EXPECT_TRUE(drained(op_queue, 10).empty());
  op_queue.push(node);
  EXPECT_TRUE(op_queue.has_next());
  EXPECT_TRUE(op_queue.has_more());
  EXPECT_EQ(drained(op_queue, 10), std::vector<OpNode*>{&node});
  EXPECT_FALSE(op_queue.has_next());
  EXPECT_FALSE(op_queue.has_more());
}

// has_long(n) is true only if the queue has at least n ops. While ops are pushed, it may become true later
// than at n ops, but it does become true.
TEST(OpQueue, KnowsThatItIsLongOnceAChunkIsFull) {
  constexpr std::size_t kSome = 64;
  OpNode node;
  OpQueue op_queue;
  std::size_t pushed = 0;
  while (!op_queue.has_long(kSome)) {
    ASSERT_LT(pushed, 10'000u);
    op_queue.push(node);
    ++pushed;
  }
  EXPECT_GT(pushed, kSome);
  std::size_t left = pushed;
  for (; op_queue.has_long(kSome); left -= kSome) ASSERT_EQ(drained(op_queue, kSome).size(), kSome);
  EXPECT_LT(left, pushed);
  EXPECT_EQ(drained(op_queue, pushed).size(), left);
  EXPECT_FALSE(op_queue.has_long(1));
}

// Compares OpQueue with a deque. Bursts of ops fill many chunks, so that chunks are used again.
TEST(OpQueue, GivesWhatAQueueGives) {
  Random random;
  std::vector<OpNode> nodes(8);
  OpQueue op_queue;
  std::deque<OpNode*> queue;
  std::size_t taken = 0;
  for (int round = 0; round < testing::rounds(2000, 200); ++round) {
    for (std::int64_t n = random.magnitude(2000); n > 0; --n) {
      OpNode& node = nodes[static_cast<std::size_t>(random.integer(0, std::ssize(nodes) - 1))];
      op_queue.push(node);
      queue.push_back(&node);
    }
    const auto most = static_cast<std::size_t>(random.magnitude(3000));
    const std::vector<OpNode*> out = drained(op_queue, most);
    ASSERT_EQ(out.size(), std::min(most, queue.size()));
    ASSERT_TRUE(std::equal(out.begin(), out.end(), queue.begin()));
    queue.erase(queue.begin(), queue.begin() + static_cast<std::ptrdiff_t>(out.size()));
    taken += out.size();
    ASSERT_EQ(op_queue.has_next(), !queue.empty());
    ASSERT_EQ(op_queue.has_more(), !queue.empty());
  }
  EXPECT_GT(taken, 3u * 256);
}

// The producer writes into a node, and then pushes the node. The consumer must see these writes. A third
// thread calls has_more().
TEST(OpQueue, HandsNodesFromThreadToThreadInOrder) {
  constexpr std::int64_t kOps = 200'000;
  const std::int64_t ops = testing::rounds(kOps);
  OpQueue op_queue, back;
  std::atomic<bool> done{false};
  std::thread producer([&] {
    std::vector<OpNode> nodes(300);  // more nodes than fit into a chunk
    std::vector<OpNode*> free;
    for (OpNode& node : nodes) free.push_back(&node);
    Random random;
    for (std::int64_t i = 0; i < ops; ++i) {
      while (free.empty()) {
        back.drain(
            [&](std::span<OpNode* const> given) { free.insert(free.end(), given.begin(), given.end()); });
        if (free.empty()) spin_pause();
      }
      OpNode& node = *free.back();
      free.pop_back();
      node.output_bytes = i;
      op_queue.push(node);
      if (random.chance(0.001)) std::this_thread::yield();
    }
    while (!done.load(std::memory_order_acquire)) spin_pause();  // the consumer may still use the nodes
  });
  std::thread onlooker([&] {
    while (!done.load(std::memory_order_acquire)) (void)op_queue.has_more();
  });
  std::int64_t next = 0;
  bool in_order = true;
  while (next != ops) {
    if (!op_queue.has_next()) spin_pause();
    op_queue.drain(
        [&](std::span<OpNode* const> taken) {
          for (OpNode* const node : taken) {
            in_order &= node->output_bytes == next++;
            back.push(*node);
          }
        },
        100);
  }
  done.store(true, std::memory_order_release);
  producer.join();
  onlooker.join();
  EXPECT_TRUE(in_order);
  EXPECT_FALSE(op_queue.has_next());
  EXPECT_FALSE(op_queue.has_more());
}

}  // namespace
}  // namespace runahead::engine
