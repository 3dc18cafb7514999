#include "engine/op_node.h"

#include <algorithm>
#include <utility>

#include "engine/op_slab.h"

namespace runahead::engine {

const FailurePtr OpNode::kNoFailure;

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
