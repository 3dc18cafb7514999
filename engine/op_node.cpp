#include "engine/op_node.h"

#include <algorithm>
#include <utility>

namespace runahead::engine {

Edge EdgeStack::kClosed;
const FailurePtr OpNode::kNoFailure;

bool EdgeStack::push(Edge& edge) {
  Edge* head = head_.load(std::memory_order_acquire);
  do {
    if (head == &kClosed) return false;
    edge.next = head;
  } while (!head_.compare_exchange_weak(head, &edge, std::memory_order_release, std::memory_order_acquire));
  return true;  // the release pairs with the acquire in close()
}

Edge* EdgeStack::close() {
  Edge* edge = head_.exchange(&kClosed, std::memory_order_acq_rel);
  Edge* reversed = nullptr;
  while (edge != nullptr) {
    if (edge->kind() != EdgeKind::kWaiter) edge->successor().prefetch();
    Edge* const next = std::exchange(edge->next, reversed);
    reversed = std::exchange(edge, next);
  }
  return reversed;
}

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

void WriteOrExtra::add_write(VarState& var) {
  if (bits_ == 0) {
    bits_ = reinterpret_cast<std::uintptr_t>(&var);
  } else {
    make_extra().writes.push_back(&var);
  }
}

void WriteOrExtra::clear() {
  delete extra();
  bits_ = 0;
}

namespace {

// Relaxed: what follows it publishes it.
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
  raise(ready_ticks, ticks);  // the decrement of `pending` follows
}

void VarState::add_reader(OpRef op) {
  VarMore& more = make_more();
  if (more.readers.size() >= more.prune_at) {
    std::erase_if(more.readers, [](const OpRef& reader) { return !reader.in_flight(); });
    more.prune_at = std::max<std::size_t>(8, 2 * more.readers.size());
  }
  more.readers.push_back(op);
}

void VarState::note_failure(const FailurePtr& failure, std::uint64_t number) {
  VarMore& more = make_more();
  if (more.failed_number >= number) return;
  more.failure = failure;
  more.failed_number = number;
}

void Var::keep(VarState* state) { state->keep(); }
void Var::let_go(VarState* state) { state->let_go(); }

void ReadyList::push_back(OpNode& node) {
  node.set_next(nullptr);
  if (tail_ != nullptr) {
    tail_->set_next(&node);
  } else {
    head_ = &node;
  }
  tail_ = &node;
}

OpNode* ReadyList::pop_front() {
  OpNode* const node = head_;
  if (node != nullptr) {
    head_ = node->next();
    if (head_ == nullptr) tail_ = nullptr;
  }
  return node;
}

}  // namespace runahead::engine
