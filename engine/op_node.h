// OpNode: the data of an op in flight. The enqueuing side (the frontend that holds the enqueue lock) links
// the node: it adds an edge to the node from each op that must end first. After that, only threads that
// complete ops touch the node.
//
// Dependency protocol. Each node has edges to its successors (Successors); the first edge is stored in the
// node itself. The enqueuing side pushes edges. The thread that completes the node closes the edges once, and
// takes the edges pushed so far. If the edges are closed, a push fails, which means that the predecessor is
// done. `pending` counts the predecessors that are not done, plus an extra count (the guard), which is
// removed when the enqueuing side has finished linking the node. A wait is also an edge, which leads to a
// Waiter.
//
// Reuse. A node that is done goes back to the OpNodePool immediately. Only the enqueuing side takes nodes
// from the pool. A Var or an OpHandle may outlive its op. Therefore it refers to the op by the address of the
// node and the number of the op (OpRef in var_state.h). If the node now has another number, the op has ended
// and the node was reused. Nodes are reused only under the enqueue lock, so the numbers are compared under
// this lock.
//
// Lookahead. If values are computed ahead of a device's time (Executor::looks_ahead()), a node ends twice.
// When its values are ready (CUDA: when it is on its stream), it ends for its successors on the same device
// (near_successors). Later, at its end on the device, it ends for all other successors (`successors`).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "engine/successors.h"
#include "engine/sync/failures.h"

namespace runahead::engine {

struct OpNode;
struct StepState;
class Executor;
class VarState;

enum class OpState : std::uint8_t { kWaiting, kStarted, kCancelled };

// A member of a bulk (BulkBook). The members of a bulk run one after the other.
struct BulkMember {
  OpFunction function;
  const record::Site* site = nullptr;
  OpId id = kNoOp;
  Cost cost;
};

// OpExtra: data that few ops need, or that only ops of devices with their own streams need.
struct OpExtra {
  Cost cost;
  std::int64_t size_bytes = 0;
  std::int32_t priority = 0;
  // Successors on the same executor, if the executor looks ahead. The edges are closed when the values are
  // ready (CUDA: when the op is on its stream), or when the op has failed. Closing publishes end_ticks.
  Successors near_successors;
  std::uint64_t end_ticks = 0;  // when the op will end, or has ended (CUDA: when it was put on its stream)
  // number_on_stream: the op's number among the work items submitted to its stream; written before
  // near_successors is closed.
  // after: for each stream of the device, the number of work items that this op has to wait for
  // (Work::after); raised before the decrement of `pending`.
  std::uint64_t number_on_stream = 0;
  std::array<std::atomic<std::uint64_t>, kStreamKindCount> after{};
  Poison poison;  // the op's own failure, or the predecessor's failure because of which it is skipped;
                  // constant once near_successors or `successors` is closed
  // The failure of an op that failed on the device after near_successors was closed. Constant once
  // `successors` is closed.
  FailurePtr late_failure;

  void follow(StreamKind stream, std::uint64_t number);
  // The Vars that the op writes, so that their versions can be raised after the op has ended. Until then each
  // of these Vars counts the op as a write in flight.
  std::vector<VarState*> writes;
  // Counts the op's memory at its modelled start. Null: memory counts as soon as it is allocated.
  std::unique_ptr<MemoryAtStart> memory;
  // the members of a bulk, in order; their functions run instead of OpNode::function
  std::vector<BulkMember> members;
};

// WriteOrExtra: the single Var that an op writes, or its OpExtra if it needs one. Size: one word.
class WriteOrExtra {
 public:
  WriteOrExtra() = default;
  WriteOrExtra(const WriteOrExtra&) = delete;
  WriteOrExtra& operator=(const WriteOrExtra&) = delete;
  ~WriteOrExtra() { clear(); }

  [[nodiscard]] OpExtra* extra() const {
    return (bits_ & kIsExtra) != 0 ? reinterpret_cast<OpExtra*>(bits_ - kIsExtra) : nullptr;
  }
  [[nodiscard]] VarState* write() const {
    return (bits_ & kIsExtra) == 0 ? reinterpret_cast<VarState*>(bits_) : nullptr;
  }
  OpExtra& make_extra();
  void add_write(VarState& var) {
    if (bits_ == 0) {
      bits_ = reinterpret_cast<std::uintptr_t>(&var);
    } else {
      make_extra().writes.push_back(&var);
    }
  }
  void clear() {
    if (extra() != nullptr) delete_extra();
    bits_ = 0;
  }

 private:
  void delete_extra();
  static constexpr std::uintptr_t kIsExtra = 1;
  std::uintptr_t bits_ = 0;
};

// The node has two cache lines, which processors fetch as a pair. A thread that releases a successor touches
// only the first line of the successor's node.
struct alignas(128) OpNode {
  static constexpr std::int32_t kLinking = 1 << 30;

  // Closed edges mean that the op is done. Closing publishes the failure and the op's results.
  Successors successors;
  union {
    Executor* executor = nullptr;
    // Used only while this node is free. Points to another free node, which OpNodePool::take() will return a
    // few calls after this node. When take() returns this node, it prefetches the other node. If there is no
    // such node, points to this node itself.
    const OpNode* taken_later;
  };
  // The number of unfinished predecessors, plus the guard until finish_links(). Decremented with acquire and
  // release: the thread that makes it zero sees all writes of the predecessors.
  std::atomic<std::int32_t> pending{kLinking};
  // running: written by the thread that runs the op, before this thread checks for a cancel(). `state` is
  // used only after a cancel(). Either the running thread changes it from kWaiting to kStarted, or cancel()
  // changes it from kWaiting to kCancelled. Only one of the two succeeds (OpRunner::start).
  std::atomic<bool> running{false};
  std::atomic<OpState> state{OpState::kWaiting};
  // True: a predecessor failed (`poison` in OpExtra has the failure), so the op will be skipped. Written
  // before the last decrement of `pending`, read after that decrement.
  std::atomic<bool> poisoned{false};
  struct Traits {
    StreamKind stream : 4 = StreamKind::kCompute;
    bool second_round : 1 = false;  // the op is in round 1 of RunAheadGate
    bool bulk : 1 = false;          // the functions of extra()->members run instead of `function`
    std::uint8_t unused : 2 = 0;    // fills the byte, so that one write covers all traits
  };
  Traits traits;
  OpId id = kNoOp;         // written only under the enqueue lock; kNoOp: the node is free
  OpNode* next = nullptr;  // link of the list that the node is in; used by the owner of that list
  // The later of two times: the op's enqueue, and the last end of a predecessor (for a predecessor on the
  // same device, this end may be in the future). Raised before the decrement of `pending`. 0: unknown,
  // because nothing is recorded.
  std::atomic<std::uint64_t> ready_ticks{0};

  // ---- what the op does ----
  OpFunction function;
  std::int64_t output_bytes = 0;
  const record::Site* site = nullptr;
  StepState* step = nullptr;  // lives until the last op of the step is done
  WriteOrExtra more;

  OpNode() = default;
  OpNode(const OpNode&) = delete;
  OpNode& operator=(const OpNode&) = delete;

  // These functions prefetch the node into this core's cache: the whole node, or its first or second line.
  void prefetch() const {
    prefetch_first();
    prefetch_second();
  }
  void prefetch_first() const { __builtin_prefetch(this, 1); }
  void prefetch_second() const { __builtin_prefetch(reinterpret_cast<const char*>(this) + 64, 1); }

  [[nodiscard]] bool done() const { return successors.closed(); }
  // REQUIRES: near_successors or `successors` is closed, or no other thread uses the node.
  [[nodiscard]] const FailurePtr& failure() const {
    return extra() != nullptr ? extra()->poison.failure : kNoFailure;
  }
  // REQUIRES: done(), or the caller is about to close the edges.
  [[nodiscard]] const FailurePtr& final_failure() const {
    return extra() != nullptr && extra()->late_failure ? extra()->late_failure : failure();
  }
  [[nodiscard]] bool try_start() { return leave_waiting(OpState::kStarted); }
  [[nodiscard]] bool try_cancel() { return leave_waiting(OpState::kCancelled); }
  void raise_ready(std::uint64_t ticks);
  // Removes the guard. `edges`: number of edges that lead to this node. True: no unfinished predecessor is
  // left.
  [[nodiscard]] bool finish_links(std::int32_t edges);
  // Destroys the op's function with its captures. If the function owns nothing, this call writes nothing.
  // Then the second cache line of the node stays in the cache of the enqueuing side, which reads that line
  // next.
  void drop_function() {
    if (function.owns()) function.reset();
    if (traits.bulk) extra()->members.clear();
  }
  [[nodiscard]] std::uint64_t number() const { return op_number(id); }
  // REQUIRES: the caller holds FailureBook's mutex, or no other thread uses the node.
  [[nodiscard]] OpExtra& make_extra() { return more.make_extra(); }
  [[nodiscard]] OpExtra* extra() const { return more.extra(); }  // null: the op needs no OpExtra
  [[nodiscard]] std::int32_t priority() const { return extra() != nullptr ? extra()->priority : 0; }

  static const FailurePtr kNoFailure;

 private:
  [[nodiscard]] bool leave_waiting(OpState to);
};

static_assert(sizeof(OpNode) == 128, "two cache lines");

inline bool OpNode::finish_links(std::int32_t edges) {
  if (edges == 0) {  // no predecessor has an edge to this node
    pending.store(0, std::memory_order_relaxed);
    return true;
  }
  const std::int32_t guard = kLinking - edges;
  return pending.fetch_sub(guard, std::memory_order_acq_rel) == guard;
}

// Start and end time of an enqueue. If both are 0, nothing is recorded.
struct EnqueueTicks {
  std::uint64_t begin = 0, end = 0;
};

// A list of ready ops, linked by OpNode::next. Not thread-safe.
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
