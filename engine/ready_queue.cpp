#include "engine/ready_queue.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace runahead::engine {

bool ReadyQueue::fits_plain(const OpNode& node) {
  if (node.priority() != 0) return false;
  return order_ == ReadyOrder::kFifo || plain_begin_ == plain_end_ ||
         plain_at(plain_end_ - 1)->number() < node.number();
}

void ReadyQueue::make_room(std::size_t more) {
  if (plain_count() + more <= plain_.size()) return;
  std::vector<OpNode*> wider(std::bit_ceil(plain_count() + more));
  for (std::uint64_t i = plain_begin_; i != plain_end_; ++i) wider[i & (wider.size() - 1)] = plain_at(i);
  plain_ = std::move(wider);
  mask_ = plain_.size() - 1;
}

void ReadyQueue::push(OpNode& node) {
  if (fits_plain(node)) {
    make_room(1);
    plain_at(plain_end_++) = &node;
    return;
  }
  heap_.push_back({node.priority(), order_ == ReadyOrder::kOldest ? node.number() : pushed_++, &node});
  std::push_heap(heap_.begin(), heap_.end(), later);
}

void ReadyQueue::push_usual(std::span<OpNode* const> nodes) {
  if (order_ != ReadyOrder::kFifo) {
    for (OpNode* const node : nodes) push(*node);
    return;
  }
  for (OpNode* const node : nodes.first(std::min(kAhead, nodes.size()))) node->prefetch();
  make_room(nodes.size());
  for (OpNode* const node : nodes) plain_at(plain_end_++) = node;
}

// True: the next op comes from the heap. REQUIRES: the heap is not empty.
bool ReadyQueue::heap_is_next() {
  if (plain_begin_ == plain_end_) return true;
  const Entry& top = heap_.front();
  if (top.priority != 0) return top.priority > 0;
  // This case occurs only with kOldest, because with kFifo no op in the heap has priority 0.
  return top.rank < plain_at(plain_begin_)->number();
}

OpNode* ReadyQueue::pop_either() {
  if (!heap_is_next()) return pop_plain();
  std::pop_heap(heap_.begin(), heap_.end(), later);
  OpNode* const node = heap_.back().node;
  heap_.pop_back();
  return node;
}

}  // namespace runahead::engine
