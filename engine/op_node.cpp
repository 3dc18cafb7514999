#include "engine/op_node.h"

#include <algorithm>
#include <utility>

namespace runahead::engine {

const FailurePtr OpNode::kNoFailure;

bool OpNode::leave_waiting(OpState to) {
  OpState expected = OpState::kWaiting;
  return state.compare_exchange_strong(expected, to, std::memory_order_acq_rel);
}

OpExtra& WriteOrExtra::make_extra() {
  if (OpExtra* const there = extra()) return *there;
  auto* const made = new OpExtra;
  if (VarState* const var = write()) made->writes.push_back(var);
  bits_ = reinterpret_cast<std::uintptr_t>(made) | kIsExtra;
  return *made;
}

void WriteOrExtra::delete_extra() { delete extra(); }

namespace {

// Relaxed: a later release operation by the caller publishes the value.
void raise(std::atomic<std::uint64_t>& value, std::uint64_t to) {
  std::uint64_t now = value.load(std::memory_order_relaxed);
  while (now < to && !value.compare_exchange_weak(now, to, std::memory_order_relaxed)) {
  }
}

}  // namespace

void OpExtra::follow(StreamKind stream, std::uint64_t number) {
  raise(after[static_cast<std::size_t>(stream)], number);
}

void OpNode::raise_ready(std::uint64_t ticks) {
  raise(ready_ticks, ticks);  // the caller's decrement of `pending` publishes the new ready time
}

void ReadyList::push_back(OpNode& node) {
  node.next = nullptr;
  if (tail_ != nullptr) {
    tail_->next = &node;
  } else {
    head_ = &node;
  }
  tail_ = &node;
}

OpNode* ReadyList::pop_front() {
  OpNode* const node = head_;
  if (node != nullptr) {
    head_ = node->next;
    if (head_ == nullptr) tail_ = nullptr;
  }
  return node;
}

}  // namespace runahead::engine
