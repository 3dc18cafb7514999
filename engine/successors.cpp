#include "engine/successors.h"

#include <algorithm>

#include "engine/op_node_pool.h"

namespace runahead::engine {

Edge& Successors::more_room(std::uint32_t at, OpNodePool& node_pool) {
  const std::uint32_t in_block = (at - 1) % EdgeBlock::kEdges;
  if (in_block != 0) return blocks_->last->edges[in_block];
  EdgeBlock& block = node_pool.take_edges();
  (at == 1 ? blocks_ : blocks_->last->next) = &block;
  blocks_->last = &block;
  return block.edges[0];
}

void ClosedEdges::take(const Successors& successors) {
  Edge* to = few_.data();
  if (count_ > kFew) {
    many_ = std::make_unique<Edge[]>(count_);
    to = many_.get();
  }
  to[0] = successors.first_;
  // If the op has only one edge, this thread must not read blocks_: the enqueuing side may be writing blocks_
  // at the same time, to add the first block.
  const EdgeBlock* block = count_ > 1 ? successors.blocks_ : nullptr;
  for (std::uint32_t at = 1; at < count_;) {
    const std::uint32_t here = std::min(count_ - at, EdgeBlock::kEdges);
    std::copy_n(block->edges, here, to + at);
    at += here;
    if (at < count_) block = block->next;
  }
  for (const Edge edge : edges()) {
    if (!edge.is_waiter()) edge.successor().prefetch_first();
  }
}

}  // namespace runahead::engine
