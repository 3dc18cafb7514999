#include "engine/ready_queue.h"

#include <algorithm>
#include <utility>

namespace runahead::engine {

bool ReadyQueue::fits_plain(const OpNode& node) {
  if (node.priority() != 0) return false;
  return order_ == ReadyOrder::kFifo || plain_begin_ == plain_end_ ||
         plain_at(plain_end_ - 1)->number() < node.number();
}

void ReadyQueue::push_plain(OpNode& node) {
  if (plain_count() == plain_.size()) {
    std::vector<OpNode*> wider(2 * plain_.size());
    for (std::uint64_t i = plain_begin_; i != plain_end_; ++i) wider[i & (wider.size() - 1)] = plain_at(i);
    plain_ = std::move(wider);
  }
  plain_at(plain_end_++) = &node;
}

void ReadyQueue::push(OpNode& node) {
  if (fits_plain(node)) return push_plain(node);
  heap_.push_back({node.priority(), order_ == ReadyOrder::kOldest ? node.number() : pushed_++, &node});
  std::push_heap(heap_.begin(), heap_.end(), later);
}

bool ReadyQueue::heap_is_next() {
  if (heap_.empty()) return false;
  if (plain_begin_ == plain_end_) return true;
  const Entry& top = heap_.front();
  if (top.priority != 0) return top.priority > 0;
  return top.rank < plain_at(plain_begin_)->number();  // kOldest alone: of kFifo none here has priority 0
}

OpNode* ReadyQueue::pop() {
  if (!heap_is_next()) {
    if (plain_begin_ == plain_end_) return nullptr;
    OpNode* const node = plain_at(plain_begin_++);
    // What lies between is on its way already.
    if (plain_count() >= kAhead) plain_at(plain_begin_ + kAhead - 1)->prefetch();
    return node;
  }
  std::pop_heap(heap_.begin(), heap_.end(), later);
  OpNode* const node = heap_.back().node;
  heap_.pop_back();
  return node;
}

}  // namespace runahead::engine
