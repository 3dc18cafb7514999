// OpNode: an op in flight. The enqueuing side links it behind the ops it must follow; from then on only
// threads that complete ops touch it.
//
// The dependency protocol. Each node has its edges to its successors, the first in itself. The enqueuing side
// pushes edges; the thread that completes the node closes them once and for all, and takes what is there. A
// push on closed ones says that the predecessor is done. `pending` counts the predecessors not done yet, and
// a guard while the node is linked. A wait is an edge too, which leads to a Waiter.
//
// Nodes are used again. One that is done goes back to the OpNodePool at once, from where the enqueuing side
// takes it, under its mutex, and there alone. So an OpRef (var_state.h), a node with the number of the op
// that it was, tells under that mutex whether the op is still in flight; whatever outlives the op (a Var, a
// handle) holds an OpRef.
//
// Where values are computed ahead of a device's time (Executor::looks_ahead()) a node ends twice: once for
// those that follow it on its own device, when its values are there, and later for all else. Each has edges
// of its own.
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

// One of several ops that are handed over as one (BulkBook), and run one after the other.
struct BulkMember {
  OpFunction function;
  const record::Site* site = nullptr;
  OpId id = kNoOp;
  Cost cost;
};

// What few ops have, or only those of devices with streams of their own.
struct OpExtra {
  Cost cost;
  std::int64_t size_bytes = 0;
  std::int32_t priority = 0;
  // Successors on the same executor, where that looks ahead; closed when the values are there (or never will
  // be), which publishes end_ticks.
  Successors near_successors;
  std::uint64_t end_ticks = 0;  // when it will end, or has ended
  // Which of the works submitted to its stream it is, and how many of each stream of its device it follows
  // (Work::after). Of itself written before near_successors is closed; `after` raised before the decrement of
  // `pending`.
  std::uint64_t number_on_stream = 0;
  std::array<std::atomic<std::uint64_t>, kStreamKindCount> after{};
  Poison poison;  // why it was skipped, or its own failure; constant once either of its edges are closed
  // What failed after near_successors was closed, as it ran on the device; constant once `successors` is.
  FailurePtr late_failure;

  void follow(StreamKind stream, std::uint64_t number);
  std::vector<VarState*> writes;    // whose versions it raises, counted as users of each
  std::vector<BulkMember> members;  // of a bulk, in order; their functions are all it does
};

// The Var that an op writes, if it is one and that is all there is to say; else its OpExtra.
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

// Two cache lines, of one pair as processors fetch them: the first is all that those who let it go touch.
struct alignas(128) OpNode {
  static constexpr std::int32_t kLinking = 1 << 30;

  // Closed means done, and publishes the failure and what the op computed.
  Successors successors;
  union {
    Executor* executor = nullptr;
    const OpNode* taken_later;  // of a free one: some turns after this, or this (OpNodePool)
  };
  // Predecessors not done, + kLinking while linking. Decremented with acquire and release: who brings it to
  // zero sees all that the predecessors did.
  std::atomic<std::int32_t> pending{kLinking};
  // Written by the thread that runs it, before it looks whether there was a cancel(); only if so is `state`
  // asked: kWaiting -> kStarted by that thread, or -> kCancelled by cancel(); one of them wins
  // (OpRunner::start).
  std::atomic<bool> running{false};
  std::atomic<OpState> state{OpState::kWaiting};
  // Set before the last decrement of `pending`, with the poison; read after it.
  std::atomic<bool> poisoned{false};
  struct Traits {
    StreamKind stream : 4 = StreamKind::kCompute;
    bool second_round : 1 = false;  // RunAheadGate::enter()
    bool bulk : 1 = false;          // extra()->members run in place of `function`
    std::uint8_t unused : 2 = 0;    // so all of the byte is written at once
  };
  Traits traits;
  OpId id = kNoOp;         // changed under the enqueue lock alone; kNoOp: free
  OpNode* next = nullptr;  // in the one list that it is in: its owner's
  // Latest of: enqueued, ends of its predecessors (near ones' may be still to come). Raised before the
  // decrement of `pending`. 0: nobody asked.
  std::atomic<std::uint64_t> ready_ticks{0};

  // ---- what happens to it ----
  OpFunction function;
  std::int64_t output_bytes = 0;
  const record::Site* site = nullptr;
  StepState* step = nullptr;  // lives until the last op of the step is done
  WriteOrExtra more;

  OpNode() = default;
  OpNode(const OpNode&) = delete;
  OpNode& operator=(const OpNode&) = delete;

  // Start to bring it into this core's cache: all of it, or its first or second line.
  void prefetch() const {
    prefetch_first();
    prefetch_second();
  }
  void prefetch_first() const { __builtin_prefetch(this, 1); }
  void prefetch_second() const { __builtin_prefetch(reinterpret_cast<const char*>(this) + 64, 1); }

  [[nodiscard]] bool done() const { return successors.closed(); }
  // REQUIRES: closed edges, or that it is the caller's alone.
  [[nodiscard]] const FailurePtr& failure() const {
    return extra() != nullptr ? extra()->poison.failure : kNoFailure;
  }
  // REQUIRES: done(), or that it is about to be, by the caller.
  [[nodiscard]] const FailurePtr& final_failure() const {
    return extra() != nullptr && extra()->late_failure ? extra()->late_failure : failure();
  }
  [[nodiscard]] bool try_start() { return leave_waiting(OpState::kStarted); }
  [[nodiscard]] bool try_cancel() { return leave_waiting(OpState::kCancelled); }
  void raise_ready(std::uint64_t ticks);
  // Takes the guard away, with so many edges that lead here; true: no predecessor is left.
  [[nodiscard]] bool finish_links(std::int32_t edges);
  // What it would have done is destroyed, and what that holds with it. Where that is nothing, this writes
  // nothing: the node's second line stays in the cache of the enqueuing side, which looks at it next.
  void drop_function() {
    if (function.owns()) function.reset();
    if (traits.bulk) extra()->members.clear();
  }
  [[nodiscard]] std::uint64_t number() const { return op_number(id); }
  // Under FailureBook's mutex, or by a thread that has the op alone.
  [[nodiscard]] OpExtra& make_extra() { return more.make_extra(); }
  [[nodiscard]] OpExtra* extra() const { return more.extra(); }  // null: all of it is as a new one says
  [[nodiscard]] std::int32_t priority() const { return extra() != nullptr ? extra()->priority : 0; }

  static const FailurePtr kNoFailure;

 private:
  [[nodiscard]] bool leave_waiting(OpState to);
};

static_assert(sizeof(OpNode) == 128, "two cache lines");

inline bool OpNode::finish_links(std::int32_t edges) {
  if (edges == 0) {  // no predecessor knows of it
    pending.store(0, std::memory_order_relaxed);
    return true;
  }
  const std::int32_t guard = kLinking - edges;
  return pending.fetch_sub(guard, std::memory_order_acq_rel) == guard;
}

// From when to when an op was enqueued; 0 and 0: nothing is recorded.
struct EnqueueTicks {
  std::uint64_t begin = 0, end = 0;
};

// A list of ready ops, through OpNode::next. Its owner's.
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
