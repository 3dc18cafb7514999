// ReadyQueue: ready ops in the order in which they will run. Not thread-safe; the owner's lock guards it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/op_node.h"

namespace runahead::engine {

// Higher priority first. At equal priority: with kFifo in the order of push(), with kOldest by op number. For
// ops of priority 0, push() and pop() cost O(1): with kFifo always, with kOldest if the ops arrive in the
// order of their numbers. In all other cases they cost O(log n).
class ReadyQueue {
 public:
  explicit ReadyQueue(ReadyOrder order) : order_(order), plain_(kLeastRoom) {}

  void push(OpNode& node);
  // Like push(), for ops that are known to have priority 0. With kFifo it does not read the ops.
  void push_usual(std::span<OpNode* const> nodes);
  // Null: the queue is empty.
  [[nodiscard]] OpNode* pop() { return heap_.empty() ? pop_plain() : pop_either(); }
  [[nodiscard]] std::size_t size() const { return plain_count() + heap_.size(); }
  [[nodiscard]] bool empty() const { return plain_begin_ == plain_end_ && heap_.empty(); }

 private:
  static constexpr std::size_t kAhead = 3;
  static constexpr std::size_t kLeastRoom = 64;  // a power of two, as is each size of plain_
  struct Entry {
    std::int32_t priority;
    std::uint64_t rank;  // lower first
    OpNode* node;
  };
  static bool later(const Entry& a, const Entry& b) {
    return a.priority != b.priority ? a.priority < b.priority : a.rank > b.rank;
  }
  [[nodiscard]] std::size_t plain_count() const {
    return static_cast<std::size_t>(plain_end_ - plain_begin_);
  }
  [[nodiscard]] OpNode*& plain_at(std::uint64_t i) { return plain_[i & mask_]; }
  [[nodiscard]] bool fits_plain(const OpNode& node);
  [[nodiscard]] bool heap_is_next();
  void make_room(std::size_t more);
  [[nodiscard]] OpNode* pop_plain() {
    if (plain_begin_ == plain_end_) return nullptr;
    OpNode* const node = plain_at(plain_begin_++);
    // Prefetches the node that will be popped kAhead calls later. Earlier calls have prefetched the nodes
    // before it.
    if (plain_count() >= kAhead) plain_at(plain_begin_ + kAhead - 1)->prefetch();
    return node;
  }
  [[nodiscard]] OpNode* pop_either();

  ReadyOrder order_;
  // A ring of ops with priority 0, in order. With kOldest, an op is added only if its number is higher than
  // all numbers in the ring.
  std::vector<OpNode*> plain_;
  std::uint64_t mask_ = kLeastRoom - 1;  // plain_.size() - 1
  std::uint64_t plain_begin_ = 0, plain_end_ = 0;
  std::vector<Entry> heap_;  // all other ops
  std::uint64_t pushed_ = 0;
};

}  // namespace runahead::engine
