#include "engine/op_slab.h"

#include <utility>

namespace runahead::engine {
namespace {

void settle_write(const OpNode& node, VarState& var) {
  ++var.version;
  if (node.failure()) var.note_failure(node.failure(), node.number());
  var.end_write();
}

}  // namespace

void OpSlab::give(OpNode& node) noexcept {
  OpNode* head = given_.load(std::memory_order_relaxed);
  do {
    node.set_next(head);
  } while (!given_.compare_exchange_weak(head, &node, std::memory_order_release, std::memory_order_relaxed));
}

void OpSlab::take_back() {
  OpNode* node = given_.exchange(nullptr, std::memory_order_acquire);
  while (node != nullptr) {
    OpNode* const next = node->next();
    recycle(*node);
    node = next;
  }
}

void OpSlab::recycle(OpNode& node) {
  if (OpExtra* const extra = node.extra()) {
    for (VarState* var : extra->writes) settle_write(node, *var);
  } else if (VarState* const var = node.more.write()) {
    settle_write(node, *var);
  }
  node.more.clear();
  while (node.more_edges != nullptr) {
    EdgeBlock* const block = std::exchange(node.more_edges, node.more_edges->next);
    block->next = std::exchange(free_edges_, block);
  }
  node.id = kNoOp;
  node.pending.store(OpNode::kLinking, std::memory_order_relaxed);
  node.state.store(OpState::kWaiting, std::memory_order_relaxed);
  node.bulk = false;
  node.poisoned.store(false, std::memory_order_relaxed);
  node.successors.reset();
  node.set_next(std::exchange(free_, &node));
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
  for (std::size_t i = kChunk; i-- > 0;) chunk[i].set_next(std::exchange(free_, &chunk[i]));
}

}  // namespace runahead::engine
