#include "engine/op_slab.h"

#include <algorithm>
#include <utility>

namespace runahead::engine {
namespace {

// failure: null where it succeeded.
void settle_write(const OpNode& node, VarState& var, const FailurePtr* failure) {
  ++var.version;
  if (failure != nullptr) {
    var.note_failure(*failure, node.number());
  } else if (var.writer.node == &node && var.writer.number == node.number()) {
    var.writer.node = nullptr;  // whoever comes needs no look at the node
  }
  var.end_write();
}

void prefetch_write(const OpNode& node) {
  if (const VarState* const var = node.more.write()) __builtin_prefetch(var, 1);
}

}  // namespace

void OpSlab::give_by_stack(OpNode& node) noexcept {
  OpNode* head = given_.load(std::memory_order_relaxed);
  do {
    node.next = head;
  } while (!given_.compare_exchange_weak(head, &node, std::memory_order_release, std::memory_order_relaxed));
}

void OpSlab::take_back(std::size_t most) {
  vars_.end_dropped();
  for (const auto& returns : returns_) {
    most -= returns->drain([this](std::span<OpNode* const> nodes) { recycle_all(nodes); }, most);
    if (most == 0) return;
  }
  if (given_.load(std::memory_order_relaxed) == nullptr) return;
  OpNode* node = given_.exchange(nullptr, std::memory_order_acquire);
  while (node != nullptr) {
    OpNode* const next = node->next;
    recycle(*node);
    node = next;
  }
}

// Each is brought into the cache before its turn, and then the Var that it wrote.
[[gnu::flatten]] void OpSlab::recycle_all(std::span<OpNode* const> nodes) {
  constexpr std::size_t kNodeAhead = 16, kVarAhead = 8;
  for (OpNode* const node : nodes.first(std::min(kNodeAhead, nodes.size()))) node->prefetch();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (i + kNodeAhead < nodes.size()) nodes[i + kNodeAhead]->prefetch();
    if (i + kVarAhead < nodes.size()) prefetch_write(*nodes[i + kVarAhead]);
    recycle(*nodes[i]);
  }
}

void OpSlab::recycle(OpNode& node) {
  if (OpExtra* const extra = node.extra()) [[unlikely]] {
    const FailurePtr& failure = node.final_failure();
    for (VarState* const var : extra->writes) settle_write(node, *var, failure ? &failure : nullptr);
    free_blocks(extra->near_successors.take_blocks());
  } else if (VarState* const var = node.more.write()) {
    settle_write(node, *var, nullptr);  // a failure would be in its OpExtra
  }
  node.more.clear();
  free_blocks(node.successors.take_blocks());
  node.id = kNoOp;
  node.pending.store(OpNode::kLinking, std::memory_order_relaxed);
  node.running.store(false, std::memory_order_relaxed);
  node.state.store(OpState::kWaiting, std::memory_order_relaxed);
  node.poisoned.store(false, std::memory_order_relaxed);
  node.successors.reset();
  node.next = std::exchange(free_, &node);
}

void OpSlab::free_blocks(EdgeBlock* chain) {
  if (chain != nullptr) chain->last->next = std::exchange(free_edges_, chain);
}

EdgeBlock& OpSlab::take_edges() {
  if (free_edges_ == nullptr) {
    auto& chunk = *edge_chunks_.emplace_back(std::make_unique<std::array<EdgeBlock, kChunk>>());
    for (EdgeBlock& block : chunk) block.next = std::exchange(free_edges_, &block);
  }
  EdgeBlock& block = *free_edges_;
  free_edges_ = std::exchange(block.next, nullptr);
  return block;
}

void OpSlab::grow() {
  auto& chunk = *chunks_.emplace_back(std::make_unique<std::array<OpNode, kChunk>>());
  for (std::size_t i = kChunk; i-- > 0;) chunk[i].next = std::exchange(free_, &chunk[i]);
}

}  // namespace runahead::engine
