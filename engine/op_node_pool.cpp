#include "engine/op_node_pool.h"

#include <algorithm>
#include <new>
#include <utility>

namespace runahead::engine {
namespace {

// failure: null means that the op succeeded.
void finish_write(const OpNode& node, VarState& var, const FailurePtr* failure) {
  ++var.version;
  if (failure != nullptr) {
    var.note_failure(*failure, node.number());
  } else if (var.writer.node == &node && var.writer.number == node.number()) {
    var.writer.node = nullptr;  // so that the next op on the Var does not have to read the node
  }
  var.end_write();
}

void prefetch_write(const OpNode& node) {
  if (const VarState* const var = node.more.write()) __builtin_prefetch(var, 1);
}

}  // namespace

void OpNodePool::give_by_stack(OpNode& node) noexcept {
  OpNode* head = given_.load(std::memory_order_relaxed);
  do {
    node.next = head;
  } while (!given_.compare_exchange_weak(head, &node, std::memory_order_release, std::memory_order_relaxed));
}

std::size_t OpNodePool::reclaim(std::size_t most) {
  vars_.end_dropped();
  std::size_t count = 0;
  for (const auto& returns : returns_) {
    count += reclaim(*returns, most - count);
    if (count == most) return count;
  }
  if (given_.load(std::memory_order_relaxed) == nullptr) return count;
  OpNode* node = given_.exchange(nullptr, std::memory_order_acquire);
  for (; node != nullptr; ++count) {
    OpNode* const next = node->next;
    recycle(*node);
    node = next;
  }
  return count;
}

std::size_t OpNodePool::reclaim(OpQueue& returns, std::size_t most) {
  return returns.drain([this](std::span<OpNode* const> nodes) { recycle_all(nodes); }, most);
}

// Keeps the number of nodes in use small, so that these nodes and the Vars that their ops wrote stay in the
// cache. After a time with many ops in flight, the pool has far more nodes than it needs. While many nodes
// wait to be reclaimed, each refill sets some nodes aside. These nodes come back into use when too few nodes
// are returned.
void OpNodePool::refill() {
  set_aside();
  const std::size_t count = reclaim(kAtOnce);
  // kAtOnce / 2 free nodes are enough. With fewer free nodes, the next refill() would come so soon that it
  // would read a cache line that a worker is still writing.
  if (count >= kAtOnce / 2) return;
  if (aside_.empty()) return grow_or_do_with_few();
  OpNode* last = free_;
  while (last != nullptr && last->next != nullptr) last = last->next;
  (last != nullptr ? last->next : free_) = aside_.back();
  aside_.pop_back();
}

void OpNodePool::set_aside() {
  for (const auto& returns : returns_) {
    if (!returns->has_long(kAtOnce)) continue;
    (void)reclaim(*returns, kAtOnce);
    aside_.push_back(std::exchange(free_, nullptr));  // does not allocate: grow() reserved the room
    return;
  }
}

// Recycles the nodes. Each node is prefetched kNodeAhead nodes before its turn, and the Var that its op wrote
// is prefetched kVarAhead nodes before its turn.
[[gnu::flatten]] void OpNodePool::recycle_all(std::span<OpNode* const> nodes) {
  constexpr std::size_t kNodeAhead = 16, kVarAhead = 8;
  for (OpNode* const node : nodes.first(std::min(kNodeAhead, nodes.size()))) node->prefetch();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (i + kNodeAhead < nodes.size()) nodes[i + kNodeAhead]->prefetch();
    if (i + kVarAhead < nodes.size()) prefetch_write(*nodes[i + kVarAhead]);
    recycle(*nodes[i]);
    if (i >= kAhead) nodes[i]->taken_later = nodes[i - kAhead];
  }
}

void OpNodePool::recycle(OpNode& node) {
  if (OpExtra* const extra = node.extra()) [[unlikely]] {
    const FailurePtr& failure = node.final_failure();
    for (VarState* const var : extra->writes) finish_write(node, *var, failure ? &failure : nullptr);
    free_blocks(extra->near_successors.take_blocks());
  } else if (VarState* const var = node.more.write()) {
    finish_write(node, *var, nullptr);  // no failure: a failed op has an OpExtra
  }
  node.more.clear();
  free_blocks(node.successors.take_blocks());
  node.id = kNoOp;
  node.pending.store(OpNode::kLinking, std::memory_order_relaxed);
  node.running.store(false, std::memory_order_relaxed);
  node.state.store(OpState::kWaiting, std::memory_order_relaxed);
  node.poisoned.store(false, std::memory_order_relaxed);
  node.successors.reset();
  node.taken_later = free_ != nullptr ? free_ : &node;
  node.next = std::exchange(free_, &node);
}

void OpNodePool::free_blocks(EdgeBlock* chain) {
  if (chain != nullptr) chain->last->next = std::exchange(free_edges_, chain);
}

EdgeBlock& OpNodePool::take_edges() {
  if (free_edges_ == nullptr) {
    auto& chunk = *edge_chunks_.emplace_back(std::make_unique<std::array<EdgeBlock, kChunk>>());
    for (EdgeBlock& block : chunk) block.next = std::exchange(free_edges_, &block);
  }
  EdgeBlock& block = *free_edges_;
  free_edges_ = std::exchange(block.next, nullptr);
  return block;
}

void OpNodePool::grow_or_do_with_few() {
  try {
    grow();
  } catch (const std::bad_alloc&) {
    if (free_ == nullptr) throw;
  }
}

void OpNodePool::grow() {
  aside_.reserve((chunks_.size() + 1) * kChunk / kAtOnce);
  auto& chunk = *chunks_.emplace_back(std::make_unique<std::array<OpNode, kChunk>>());
  // The nodes are not linked in the order of their addresses. A worker's core also fetches the memory next to
  // the node that it runs. If the next nodes of the list were in that memory, this fetch would take them away
  // from the core that is about to fill them.
  const auto nth = [&chunk](std::size_t i) -> OpNode& { return chunk[i * 37 % kChunk]; };
  for (std::size_t i = kChunk; i-- > 0;) {
    OpNode& node = nth(i);
    node.next = std::exchange(free_, &node);
    node.taken_later = &nth(std::min(i + kAhead, kChunk - 1));
  }
}

}  // namespace runahead::engine
