// Successors: the edges from an op to its successors and waiters.
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
  kOrder,   // from a reader of a Var to the Var's next writer: orders the ops, but passes on no failure
  kRead,    // from a writer of a Var to a reader
  kWrite,   // from a writer of a Var to the Var's next writer
  kWaiter,  // from an op to a waiting frontend
};

// An edge: its target and its kind, in one machine word. The targets are aligned to at least 8 bytes, so the
// lowest bits of their addresses are 0. Two of these bits hold the kind.
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
  std::uintptr_t to_;  // the default constructor leaves it uninitialised
};

// Memory for the edges of an op after its first edge. An op with many successors has a chain of blocks. The
// enqueuing side allocates the blocks (OpNodePool).
struct alignas(64) EdgeBlock {
  static constexpr std::uint32_t kEdges = 6;
  EdgeBlock* next = nullptr;
  EdgeBlock* last = nullptr;  // last block of the chain; set only in the first block
  Edge edges[kEdges];
};

// The edges from an op, in the order in which they were pushed. When the op is done, the completing thread
// closes the edges: it takes the edges, and from then on push() fails. The edges are close together in
// memory, so that the completing thread reads one or two cache lines and can prefetch all successors at the
// same time.
//
// Roles.
//   enqueuing side     under the enqueue lock: push(); after the op was returned to its pool: take_blocks()
//                      and reset()
//   completing thread  ClosedEdges, once
//
// Invariants.
// - state_ = number of edges, or kClosed. Only push() raises the number; only ClosedEdges sets kClosed.
// - An edge and its block are written before the count that includes them. The completing thread reads only
// as many edges as the count says. Therefore only the enqueuing side accesses the memory beyond the count.
// Memory order.
// - The release in push() pairs with the acquire in ClosedEdges: the completing thread sees the edges.
// - The release in ClosedEdges pairs with the acquire in push() and closed(): the caller of push() or
//   closed() sees the op's results and failure.
class Successors {
 public:
  // Adds an edge. False: the edges are closed, and all earlier writes of the completing thread are visible.
  // If the edge needs a new block, the block is taken from node_pool.
  [[nodiscard]] bool push(Edge edge, OpNodePool& node_pool) {
    std::uint32_t count = state_.load(std::memory_order_acquire);
    if ((count & kClosed) != 0) return false;
    (count == 0 ? first_ : more_room(count, node_pool)) = edge;
    // The exchange fails only if ClosedEdges has closed the edges since the load above.
    return state_.compare_exchange_strong(count, count + 1, std::memory_order_release,
                                          std::memory_order_acquire);
  }
  [[nodiscard]] bool closed() const { return (state_.load(std::memory_order_acquire) & kClosed) != 0; }
  void reset() { state_.store(0, std::memory_order_relaxed); }
  // Takes the blocks away from this object and returns them. Null: the op has no blocks.
  [[nodiscard]] EdgeBlock* take_blocks() { return std::exchange(blocks_, nullptr); }

 private:
  friend class ClosedEdges;
  static constexpr std::uint32_t kClosed = 1u << 31;
  [[nodiscard]] Edge& more_room(std::uint32_t at, OpNodePool& node_pool);

  Edge first_;
  EdgeBlock* blocks_ = nullptr;
  std::atomic<std::uint32_t> state_{0};  // number of edges, or kClosed; written by push() and ClosedEdges
};

// Closes the edges of an op and copies them. The op's node may be returned to its pool afterwards.
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
  std::array<Edge, kFew> few_;    // the edges, if all of them fit; only the first count_ elements are set
  std::unique_ptr<Edge[]> many_;  // used if the edges do not fit into few_
};

}  // namespace runahead::engine
