// OpNodePool: the memory of an engine's op nodes, and of their edge blocks. Nodes are made in chunks and used
// again and again; they end with the slab.
//   taker              under the engine's enqueue lock: take(), reclaim(), take_edges(), for_each()
//   completing threads give(), each worker along a feed of its own, others to a stack that they share
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
  // vars: of the ops; those that were dropped are ended when ops are taken back.
  explicit OpNodePool(VarHome& vars) : vars_(vars) {}
  OpNodePool(const OpNodePool&) = delete;
  OpNodePool& operator=(const OpNodePool&) = delete;

  // A node like new; its id is kNoOp. If it has none it takes some of those given since back first, or makes
  // more.
  [[nodiscard]] OpNode& take() {
    if (free_ == nullptr) refill();
    OpNode& node = *free_;
    free_ = node.next;
    node.taken_later->prefetch();
    return node;
  }
  // Nodes of ops that are done, given since, become free: of each the Vars it wrote learn what became of it.
  void reclaim() { (void)reclaim(std::numeric_limits<std::size_t>::max()); }
  // A way back for the ops that one thread ends; lives as long as the slab.
  [[nodiscard]] OpQueue& add_returns() { return *returns_.emplace_back(std::make_unique<OpQueue>()); }
  // Room for more edges of a node in flight; comes back with it.
  [[nodiscard]] EdgeBlock& take_edges();
  // All nodes, free ones too.
  template <typename Function>
  void for_each(Function function) {
    for (const auto& chunk : chunks_) {
      for (OpNode& node : *chunk) function(node);
    }
  }

  // Of an op that is done, whose function owns nothing any more (OpNode::drop_function()); the node is not
  // the caller's any more. returns: the calling thread's, null if it has none.
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
  static constexpr std::size_t kAhead = 8;  // turns from one node to its taken_later
  // At most some `most` of them, so that they are still in the cache when they are taken. Returns how many.
  std::size_t reclaim(std::size_t most);
  std::size_t reclaim(OpQueue& returns, std::size_t most);
  void refill();
  void set_aside();  // REQUIRES: none is free
  void grow_or_do_with_few();
  void grow();
  void give_by_stack(OpNode& node) noexcept;
  void recycle_all(std::span<OpNode* const> nodes);
  void recycle(OpNode& node);
  void free_blocks(EdgeBlock* chain);

  VarHome& vars_;
  OpNode* free_ = nullptr;                                           // taker's
  std::vector<OpNode*> aside_;                                       // ditto: lists of kAtOnce, see refill()
  EdgeBlock* free_edges_ = nullptr;                                  // ditto
  std::vector<std::unique_ptr<std::array<OpNode, kChunk>>> chunks_;  // ditto
  std::vector<std::unique_ptr<std::array<EdgeBlock, kChunk>>> edge_chunks_;
  std::vector<std::unique_ptr<OpQueue>> returns_;
  // Pushed by completing threads (release); the taker takes all of it (acquire), so that there is no ABA.
  alignas(64) std::atomic<OpNode*> given_{nullptr};
};

}  // namespace runahead::engine
