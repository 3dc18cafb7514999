#include "engine/ready_queue.h"

#include <algorithm>

namespace runahead::engine {

void ReadyQueue::push(OpNode& node) {
  if (order_ == ReadyOrder::kFifo && node.priority == 0) {
    plain_.push_back(node);
    ++plain_count_;
    return;
  }
  heap_.push_back({node.priority, order_ == ReadyOrder::kOldest ? node.number() : pushed_++, &node});
  std::push_heap(heap_.begin(), heap_.end(), later);
}

OpNode* ReadyQueue::pop() {
  const bool from_heap = !heap_.empty() && (plain_.empty() || heap_.front().priority > 0);
  if (!from_heap) {
    OpNode* const node = plain_.pop_front();
    if (node != nullptr) --plain_count_;
    return node;
  }
  std::pop_heap(heap_.begin(), heap_.end(), later);
  OpNode* const node = heap_.back().node;
  heap_.pop_back();
  return node;
}

}  // namespace runahead::engine
