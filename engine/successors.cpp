#include "engine/successors.h"

#include <algorithm>

#include "engine/op_slab.h"

namespace runahead::engine {

Edge& Successors::room(std::uint32_t at, OpSlab& slab) {
  if (at == 0) return first_;
  const std::uint32_t in_block = (at - 1) % EdgeBlock::kEdges;
  if (in_block != 0) return blocks_->last->edges[in_block];
  EdgeBlock& block = slab.take_edges();
  (at == 1 ? blocks_ : blocks_->last->next) = &block;
  blocks_->last = &block;
  return block.edges[0];
}

bool Successors::push(Edge edge, OpSlab& slab) {
  std::uint32_t count = state_.load(std::memory_order_acquire);
  if ((count & kClosed) != 0) return false;
  room(count, slab) = edge;
  // The release pairs with the acquire in ClosedEdges, which alone changes it meanwhile.
  return state_.compare_exchange_strong(count, count + 1, std::memory_order_release,
                                        std::memory_order_acquire);
}

ClosedEdges::ClosedEdges(Successors& successors)
    : count_(successors.state_.exchange(Successors::kClosed, std::memory_order_acq_rel)) {
  if (count_ == 0) return;
  few_[0] = successors.first_;
  if (count_ > 1) copy(successors.blocks_);
  for (const Edge edge : edges()) {
    if (!edge.is_waiter()) edge.successor().prefetch_first();
  }
}

void ClosedEdges::copy(const EdgeBlock* block) {
  if (count_ > kFew) {
    many_.reserve(count_);
    many_.push_back(few_[0]);
  }
  for (std::uint32_t at = 1; at < count_; block = at < count_ ? block->next : nullptr) {
    const std::uint32_t here = std::min(count_ - at, EdgeBlock::kEdges);
    if (count_ > kFew) {
      many_.insert(many_.end(), block->edges, block->edges + here);
    } else {
      std::copy_n(block->edges, here, few_.begin() + at);
    }
    at += here;
  }
}

}  // namespace runahead::engine
