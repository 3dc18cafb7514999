// OpNodePool: the memory of an engine's op nodes and of their edge blocks. Nodes are allocated in chunks and
// reused. The pool frees all memory when it is destroyed.
//
// Roles.
//   enqueuing side      holds the engine's enqueue lock: take(), reclaim(), take_edges(),
//                       for_each(), add_returns()
//   completing threads  give(): a worker through its own OpQueue, other threads through a shared stack
//                       (given_)
//
// Invariants.
// - A node belongs to the enqueuing side from reclaim() to the end of linking, then to the threads that run
//   and complete the op, until give().
// - free_, aside_ and the chunks are guarded by the enqueue lock.
// - given_: completing threads push (release in give_by_stack()); the enqueuing side takes the whole stack
//   (acquire in reclaim()). Nodes are never popped one by one, so there is no ABA problem.
// - returns_: see OpQueue; the completing thread is its producer, the enqueuing side its consumer.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "engine/op_node.h"
#include "engine/op_queue.h"
#include "engine/var_state.h"

namespace runahead::engine {

class OpNodePool {
 public:
  // vars: the Vars of the ops. reclaim() also deletes Vars that no longer have a handle.
  explicit OpNodePool(VarHome& vars) : vars_(vars) {}
  OpNodePool(const OpNodePool&) = delete;
  OpNodePool& operator=(const OpNodePool&) = delete;

  // Returns a node in the state of a new node; its id is kNoOp. If no node is free, take() first reclaims
  // some nodes that were returned to the pool, or allocates more nodes.
  [[nodiscard]] OpNode& take() {
    if (free_ == nullptr) refill();
    OpNode& node = *free_;
    free_ = node.next;
    node.taken_later->prefetch();
    return node;
  }
  // Frees the nodes of finished ops, and updates the Vars that these ops wrote.
  void reclaim() { (void)reclaim(std::numeric_limits<std::size_t>::max()); }
  // Makes a return queue. Through it, one thread returns the nodes of the ops that it ends. The queue lives
  // as long as the pool.
  [[nodiscard]] OpQueue& add_returns() { return *returns_.emplace_back(std::make_unique<OpQueue>()); }
  // Returns memory for more edges of a node in flight. The memory is freed with the node.
  [[nodiscard]] EdgeBlock& take_edges();
  // Calls function(node) for all nodes, free ones too.
  template <typename Function>
  void for_each(Function function) {
    for (const auto& chunk : chunks_) {
      for (OpNode& node : *chunk) function(node);
    }
  }

  // Returns the node of a finished op to the pool. The caller must not touch the node afterwards. returns:
  // the return queue of the calling thread, null if the thread has none. REQUIRES: the op's function owns
  // nothing (OpNode::drop_function()).
  void give(OpNode& node, OpQueue* returns) {
    if (returns != nullptr) {
      returns->push(node);
    } else {
      give_by_stack(node);
    }
  }

 private:
  static constexpr std::size_t kChunk = 256;
  static constexpr std::size_t kAtOnce = 64;
  static constexpr std::size_t kAhead = 8;  // distance from a node to its taken_later, in nodes of the list
  // Reclaims up to `most` nodes from the return queues. If the return queues have fewer nodes, reclaims all
  // nodes of given_ too. With a small `most`, the reclaimed nodes are still in the cache when take() returns
  // them. Returns the number of reclaimed nodes.
  std::size_t reclaim(std::size_t most);
  std::size_t reclaim(OpQueue& returns, std::size_t most);
  void refill();
  void set_aside();  // REQUIRES: no node is free
  void grow_or_do_with_few();
  void grow();
  void give_by_stack(OpNode& node) noexcept;
  void recycle_all(std::span<OpNode* const> nodes);
  void recycle(OpNode& node);
  void free_blocks(EdgeBlock* chain);

  VarHome& vars_;
  OpNode* free_ = nullptr;      // this and all members before given_: guarded by the enqueue lock
  std::vector<OpNode*> aside_;  // lists of kAtOnce nodes, see refill()
  EdgeBlock* free_edges_ = nullptr;
  std::vector<std::unique_ptr<std::array<OpNode, kChunk>>> chunks_;
  std::vector<std::unique_ptr<std::array<EdgeBlock, kChunk>>> edge_chunks_;
  std::vector<std::unique_ptr<OpQueue>> returns_;
  // Written by completing threads and the enqueuing side.
  alignas(64) std::atomic<OpNode*> given_{nullptr};
};

}  // namespace runahead::engine
