// ReadyQueue: ops that are ready, in the order in which they are to run. Not thread-safe: its owner's lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/op_node.h"

namespace runahead::engine {

// Higher priority first. Among equals: kFifo first pushed first, kOldest lowest op number first.
// O(1) for kFifo with priority 0, O(log n) otherwise.
class ReadyQueue {
 public:
  explicit ReadyQueue(ReadyOrder order) : order_(order) {}

  void push(OpNode& node);
  [[nodiscard]] OpNode* pop();  // null: empty
  [[nodiscard]] std::size_t size() const { return plain_count_ + heap_.size(); }

 private:
  struct Entry {
    std::int64_t priority;
    std::uint64_t rank;  // lower first
    OpNode* node;
  };
  static bool later(const Entry& a, const Entry& b) {
    return a.priority != b.priority ? a.priority < b.priority : a.rank > b.rank;
  }

  ReadyOrder order_;
  ReadyList plain_;  // kFifo, priority 0
  std::size_t plain_count_ = 0;
  std::vector<Entry> heap_;  // everything else
  std::uint64_t pushed_ = 0;
};

}  // namespace runahead::engine
