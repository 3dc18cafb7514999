// OpNode: an op in flight. The frontend that enqueues it links it behind the ops it must follow; from then on
// only threads that complete ops touch it. VarState: what the enqueuing side knows of a Var.
//
// The dependency protocol. Each node has a stack of edges to its successors. An edge lives in its successor,
// so linking allocates nothing in the usual case. The enqueuing side pushes edges; the thread that completes
// the node closes the stack once and for all, and takes what is on it. A push on a closed stack says that the
// predecessor is done. `pending` counts the predecessors not done yet, and a guard while the node is linked.
// A wait is an edge too, which leads to a Waiter.
//
// Where values are computed ahead of a device's time (Executor::looks_ahead()) a node ends twice: once for
// those that follow it on its own device, when its values are there, and later for all else. Each has a
// stack.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/failures.h"
#include "engine/waiter.h"

namespace runahead::engine {

struct OpNode;
struct StepState;
class Executor;

enum class EdgeKind : std::uint8_t {
  kOrder,   // a writer after a reader: order only
  kRead,    // a reader after the writer
  kWrite,   // a writer after the writer before
  kWaiter,  // a frontend
};
struct Edge {
  Edge* next = nullptr;         // towards the bottom of the predecessor's stack
  OpNode* successor = nullptr;  // null for kWaiter
  EdgeKind kind = EdgeKind::kOrder;
};
struct WaitEdge : Edge {
  explicit WaitEdge(Waiter& by) : waiter(&by) { kind = EdgeKind::kWaiter; }
  Waiter* waiter;
};

enum class OpState : std::uint8_t { kWaiting, kStarted, kCancelled };

struct OpNode {
  static constexpr int kInlineEdges = 3;
  static constexpr std::int32_t kLinking = 1 << 30;

  OpFunction function;
  OpId id = kNoOp;
  const record::Site* site = nullptr;
  Executor* executor = nullptr;
  StepState* step = nullptr;  // lives until the last op of the step is done
  std::int64_t output_bytes = 0, size_bytes = 0, priority = 0;
  Cost cost;
  StreamKind stream = StreamKind::kCompute;
  std::span<Edge> edges;  // room_ or more_edges_

  // Successor stack: pushed by the enqueuing side and by waiters (release), closed by the completing thread
  // (acquire and release); kClosed means done, and publishes `poison.failure` and what the op computed.
  std::atomic<Edge*> successors{nullptr};
  // The same for successors on the same executor, where that looks ahead; closed when the values are there
  // (or never will be), which publishes end_ticks too.
  std::atomic<Edge*> near_successors{nullptr};
  std::uint64_t end_ticks = 0;  // when it will end, or has ended
  // Predecessors not done, + kLinking while linking. Decremented with acquire and release: who brings it to
  // zero sees all that the predecessors did.
  std::atomic<std::int32_t> pending{kLinking};
  // kWaiting -> kStarted by the thread that runs it, or -> kCancelled by cancel(); one of them wins.
  std::atomic<OpState> state{OpState::kWaiting};
  // Set before the last decrement of `pending`, with `poison`; read after it.
  std::atomic<bool> poisoned{false};
  // Latest of: enqueued, ends of its predecessors (near ones' may be still to come). Raised before the
  // decrement of `pending`. 0: nobody asked.
  std::atomic<std::uint64_t> ready_ticks{0};
  Poison poison;  // why it was skipped, or its own failure; constant once either stack is closed

  OpNode* next_ready = nullptr;                        // in one list of ready ops at a time; its owner's
  std::shared_ptr<VarState> write;                     // whose version it raises; null once done
  std::vector<std::shared_ptr<VarState>> more_writes;  // of an op that writes several

  // ---- enqueuing side ----
  // Room for `count` edges. Once, before any link.
  void reserve_edges(std::size_t count);
  // ---- any thread ----
  // False: this node is done already.
  [[nodiscard]] bool push(Edge& edge) { return push_onto(successors, edge); }
  [[nodiscard]] bool push_near(Edge& edge) { return push_onto(near_successors, edge); }
  [[nodiscard]] bool done() const { return successors.load(std::memory_order_acquire) == &kClosedEdge; }
  [[nodiscard]] const FailurePtr& failure() const { return poison.failure; }  // REQUIRES: a closed stack
  // ---- the completing thread ----
  // Closes the stack; returns its edges, first pushed first.
  [[nodiscard]] Edge* close() { return close(successors); }
  [[nodiscard]] Edge* close_near(std::uint64_t its_end_ticks) {
    end_ticks = its_end_ticks;
    return close(near_successors);
  }
  [[nodiscard]] bool try_start();
  [[nodiscard]] bool try_cancel();
  void raise_ready(std::uint64_t ticks);
  [[nodiscard]] std::uint64_t number() const { return op_number(id); }

  static Edge kClosedEdge;

 private:
  using Stack = std::atomic<Edge*>;
  [[nodiscard]] static bool push_onto(Stack& stack, Edge& edge);
  [[nodiscard]] static Edge* close(Stack& stack);

  Edge room_[kInlineEdges];
  std::unique_ptr<Edge[]> more_edges_;
};

using OpNodePtr = std::shared_ptr<OpNode>;

// Guarded by the engine's enqueue mutex, but for `version`.
class VarState {
 public:
  VarState(const void* of_engine, std::string_view its_name) : engine(of_engine), name(its_name) {}

  const void* const engine;
  const std::string name;
  OpNodePtr writer;                // of the last write; null once that is known to have succeeded
  std::vector<OpNodePtr> readers;  // since that write
  std::size_t prune_at = 8;        // drop readers that are done when there are this many: amortised O(1)
  std::uint64_t stamp = 0;         // of the last enqueue that listed it: finds a Var listed twice
  std::atomic<std::uint64_t> version{0};  // completed writes; raised by completing threads, read by anyone

  void add_reader(OpNodePtr node);
};

// A list of ready ops, through next_ready.
class ReadyList {
 public:
  [[nodiscard]] bool empty() const { return head_ == nullptr; }
  void push_back(OpNode& node);
  [[nodiscard]] OpNode* pop_front();

 private:
  OpNode* head_ = nullptr;
  OpNode* tail_ = nullptr;
};

}  // namespace runahead::engine
