// Successors: what follows an op, and is let go when it is done.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

namespace runahead::engine {

struct OpNode;
class OpNodePool;
class Waiter;

enum class EdgeKind : std::uint8_t {
  kOrder,   // a writer after a reader: order only
  kRead,    // a reader after the writer
  kWrite,   // a writer after the writer before
  kWaiter,  // a frontend
};

// Where it leads and of what kind, in one word: objects that edges lead to are aligned to 8 at least.
class Edge {
 public:
  Edge() = default;
  Edge(OpNode& successor, EdgeKind kind) : Edge(static_cast<void*>(&successor), kind) {}
  explicit Edge(Waiter& waiter) : Edge(&waiter, EdgeKind::kWaiter) {}

  [[nodiscard]] EdgeKind kind() const { return static_cast<EdgeKind>(to_ & kKindBits); }
  [[nodiscard]] bool is_waiter() const { return kind() == EdgeKind::kWaiter; }
  [[nodiscard]] OpNode& successor() const { return *reinterpret_cast<OpNode*>(to_ & ~kKindBits); }
  [[nodiscard]] Waiter& waiter() const { return *reinterpret_cast<Waiter*>(to_ & ~kKindBits); }

 private:
  static constexpr std::uintptr_t kKindBits = 3;
  Edge(void* to, EdgeKind kind)
      : to_(reinterpret_cast<std::uintptr_t>(to) | static_cast<std::uintptr_t>(kind)) {}
  std::uintptr_t to_;  // of one that was made without: anything
};

// More room for edges: an op with many successors has a chain of these. The enqueuing side's (OpNodePool).
struct alignas(64) EdgeBlock {
  static constexpr std::uint32_t kEdges = 6;
  EdgeBlock* next = nullptr;
  EdgeBlock* last = nullptr;  // of the chain; of its first block alone
  Edge edges[kEdges];
};

// The edges to what follows an op, in the order in which they were pushed; closed once and for all. They lie
// together, so that whoever closes it reads one or two lines and can fetch all successors at once.
//   enqueuing side     push(), under the enqueue lock; take_blocks(), when the op has come back
//   completing thread  close(), once
// What lies behind the count is nobody's but the enqueuing side's: an edge, or a block, is written before the
// count that takes it in, and the one who closes looks at nothing beyond the count that it found.
class Successors {
 public:
  // False: closed, and what the completing thread wrote before is seen. slab: for more room.
  [[nodiscard]] bool push(Edge edge, OpNodePool& node_pool) {
    std::uint32_t count = state_.load(std::memory_order_acquire);
    if ((count & kClosed) != 0) return false;
    (count == 0 ? first_ : more_room(count, node_pool)) = edge;
    // The release pairs with the acquire in ClosedEdges, which alone changes it meanwhile.
    return state_.compare_exchange_strong(count, count + 1, std::memory_order_release,
                                          std::memory_order_acquire);
  }
  [[nodiscard]] bool closed() const { return (state_.load(std::memory_order_acquire) & kClosed) != 0; }
  void reset() { state_.store(0, std::memory_order_relaxed); }
  // The blocks, which are no longer this one's; null: none.
  [[nodiscard]] EdgeBlock* take_blocks() { return std::exchange(blocks_, nullptr); }

 private:
  friend class ClosedEdges;
  static constexpr std::uint32_t kClosed = 1u << 31;
  [[nodiscard]] Edge& more_room(std::uint32_t at, OpNodePool& node_pool);

  Edge first_;
  EdgeBlock* blocks_ = nullptr;
  std::atomic<std::uint32_t> state_{0};  // how many, + kClosed
};

// Closes, and holds the edges that were there: the op's node may be given away then.
class ClosedEdges {
 public:
  explicit ClosedEdges(Successors& successors)
      : count_(successors.state_.exchange(Successors::kClosed, std::memory_order_acq_rel)) {
    if (count_ != 0) take(successors);
  }
  [[nodiscard]] std::span<const Edge> edges() const {
    return {count_ <= kFew ? few_.data() : many_.get(), count_};
  }

 private:
  static constexpr std::uint32_t kFew = 1 + EdgeBlock::kEdges;
  void take(const Successors& successors);
  const std::uint32_t count_;
  std::array<Edge, kFew> few_;    // written as far as count_, if there is room
  std::unique_ptr<Edge[]> many_;  // if there is not
};

}  // namespace runahead::engine
