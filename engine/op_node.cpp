#include "engine/op_node.h"

#include <algorithm>
#include <utility>

namespace runahead::engine {

Edge OpNode::kClosedEdge;

void OpNode::reserve_edges(std::size_t count) {
  if (count > kInlineEdges) {
    more_edges_ = std::make_unique<Edge[]>(count);
    edges = {more_edges_.get(), count};
  } else {
    edges = {room_, count};
  }
}

bool OpNode::push_onto(Stack& stack, Edge& edge) {
  Edge* head = stack.load(std::memory_order_acquire);
  do {
    if (head == &kClosedEdge) return false;
    edge.next = head;
  } while (!stack.compare_exchange_weak(head, &edge, std::memory_order_release, std::memory_order_acquire));
  return true;  // the release pairs with the acquire in close()
}

Edge* OpNode::close(Stack& stack) {
  Edge* edge = stack.exchange(&kClosedEdge, std::memory_order_acq_rel);
  Edge* reversed = nullptr;
  while (edge != nullptr) {
    Edge* const next = std::exchange(edge->next, reversed);
    reversed = std::exchange(edge, next);
  }
  return reversed;
}

bool OpNode::try_start() {
  OpState expected = OpState::kWaiting;
  return state.compare_exchange_strong(expected, OpState::kStarted, std::memory_order_acq_rel);
}

bool OpNode::try_cancel() {
  OpState expected = OpState::kWaiting;
  return state.compare_exchange_strong(expected, OpState::kCancelled, std::memory_order_acq_rel);
}

void OpNode::raise_ready(std::uint64_t ticks) {
  // Relaxed: the decrement of `pending` that follows publishes it.
  std::uint64_t now = ready_ticks.load(std::memory_order_relaxed);
  while (now < ticks && !ready_ticks.compare_exchange_weak(now, ticks, std::memory_order_relaxed)) {
  }
}

void VarState::add_reader(OpNodePtr node) {
  if (readers.size() >= prune_at) {
    std::erase_if(readers, [](const OpNodePtr& reader) { return reader->done(); });
    prune_at = std::max<std::size_t>(8, 2 * readers.size());
  }
  readers.push_back(std::move(node));
}

void ReadyList::push_back(OpNode& node) {
  node.next_ready = nullptr;
  if (tail_ != nullptr) {
    tail_->next_ready = &node;
  } else {
    head_ = &node;
  }
  tail_ = &node;
}

OpNode* ReadyList::pop_front() {
  OpNode* const node = head_;
  if (node != nullptr) {
    head_ = std::exchange(node->next_ready, nullptr);
    if (head_ == nullptr) tail_ = nullptr;
  }
  return node;
}

}  // namespace runahead::engine
