// OpNode: an op in flight. The enqueuing side links it behind the ops it must follow; from then on only
// threads that complete ops touch it. VarState: what the enqueuing side knows of a Var; no other thread
// touches it.
//
// The dependency protocol. Each node has its edges to its successors, the first in itself. The enqueuing side
// pushes edges; the thread that completes the node closes them once and for all, and takes what is there. A
// push on closed ones says that the predecessor is done. `pending` counts the predecessors not done yet, and
// a guard while the node is linked. A wait is an edge too, which leads to a Waiter.
//
// Nodes are used again. One that is done goes back to the OpSlab at once, from where the enqueuing side takes
// it, under its mutex, and there alone. So an OpRef, a node with the number of the op that it was, tells
// under that mutex whether the op is still in flight; whatever outlives the op (a Var, a handle) holds an
// OpRef.
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
#include "engine/failures.h"
#include "engine/waiter.h"
#include "instrumentation/base/recycler.h"

namespace runahead::engine {

struct OpNode;
class OpSlab;
struct StepState;
class Executor;

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
  std::uintptr_t to_ = 0;
};

// More room for edges: an op with many successors has a chain of these. The enqueuing side's (OpSlab).
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
  [[nodiscard]] bool push(Edge edge, OpSlab& slab);
  [[nodiscard]] bool closed() const { return (state_.load(std::memory_order_acquire) & kClosed) != 0; }
  void reset() { state_.store(0, std::memory_order_relaxed); }
  // The blocks, which are no longer this one's; null: none.
  [[nodiscard]] EdgeBlock* take_blocks() { return std::exchange(blocks_, nullptr); }

 private:
  friend class ClosedEdges;
  static constexpr std::uint32_t kClosed = 1u << 31;
  [[nodiscard]] Edge& room(std::uint32_t at, OpSlab& slab);

  Edge first_;
  EdgeBlock* blocks_ = nullptr;
  std::atomic<std::uint32_t> state_{0};  // how many, + kClosed
};

// Closes, and holds the edges that were there: the op's node may be given away then.
class ClosedEdges {
 public:
  explicit ClosedEdges(Successors& successors);
  [[nodiscard]] std::span<const Edge> edges() const {
    return many_.empty() ? std::span(few_.data(), count_) : std::span<const Edge>(many_);
  }

 private:
  static constexpr std::uint32_t kFew = 1 + EdgeBlock::kEdges;
  void copy(const EdgeBlock* block);
  std::array<Edge, kFew> few_;  // written as far as count_
  std::uint32_t count_;
  std::vector<Edge> many_;
};

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
  Poison poison;  // why it was skipped, or its own failure; constant once either stack is closed
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
  void add_write(VarState& var);
  void clear();

 private:
  static constexpr std::uintptr_t kIsExtra = 1;
  std::uintptr_t bits_ = 0;
};

// Two cache lines: the first is all that those who let it go touch.
struct alignas(64) OpNode {
  static constexpr std::int32_t kLinking = 1 << 30;

  // Closed means done, and publishes the failure and what the op computed.
  Successors successors;
  Executor* executor = nullptr;
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
  StreamKind stream : 4 = StreamKind::kCompute;
  std::uint8_t round : 1 = 0;  // of RunAheadGate::enter()
  bool bulk : 1 = false;       // extra()->members run in place of `function`
  OpId id = kNoOp;             // changed under the enqueue lock alone; kNoOp: free
  OpNode* next = nullptr;      // in the one list that it is in: its owner's
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
  // REQUIRES: a closed stack, or that it is the caller's alone.
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
  // What it would have done is destroyed, and what that holds with it.
  void drop_function() {
    function.reset();
    if (bulk) extra()->members.clear();
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

// An op by node and number. Under the enqueue lock.
struct OpRef {
  OpNode* node = nullptr;
  std::uint64_t number = 0;

  [[nodiscard]] bool is_current() const { return node != nullptr && node->number() == number; }
  [[nodiscard]] bool in_flight() const { return is_current() && !node->done(); }
};

// What few Vars have: those with a name, with readers in flight, or whose last write failed.
struct VarMore {
  std::string name;
  std::vector<OpRef> readers;  // since the last write
  std::size_t prune_at = 8;    // drop readers that are done when there are this many: amortised O(1)
  FailurePtr failure;          // of the write `failed_number`, if that is the last
  std::uint64_t failed_number = 0;
};

// Guarded by the engine's enqueue lock, but for the count. Small: the enqueuing side touches one for each
// read and write, and most are out of its cache by then.
class VarState : public Recycled<VarState> {
 public:
  VarState(const void* of_engine, std::string_view name) : engine(of_engine) {
    if (!name.empty()) make_more().name = name;
  }

  const void* const engine;
  OpRef writer;               // of the last write; without its node once that is known to have succeeded
  std::uint64_t stamp = 0;    // of the last enqueue that listed it: finds a Var listed twice
  std::uint64_t version = 0;  // completed writes, of those that have come back to the slab

  [[nodiscard]] std::string_view name() const { return more_ ? more_->name : std::string_view(); }
  [[nodiscard]] std::span<const OpRef> readers() const {
    return more_ ? std::span<const OpRef>(more_->readers) : std::span<const OpRef>();
  }
  void add_reader(OpRef op);
  void clear_readers() {
    if (more_) more_->readers.clear();
  }
  // The failure of its write by `number`, if that was the last to fail; null otherwise.
  [[nodiscard]] FailurePtr failure_of(std::uint64_t number) const {
    return more_ && more_->failed_number == number ? more_->failure : nullptr;
  }
  void note_failure(const FailurePtr& failure, std::uint64_t number);  // writes come back in any order

  // Of each op that writes it, from its enqueue until it has come back to the slab: together one user.
  void begin_write() {
    if (writes_in_flight_++ == 0) keep();
  }
  void end_write() {
    if (--writes_in_flight_ == 0) let_go();
  }
  // Handles, and the ops above. Any thread.
  void keep() { uses_.fetch_add(1, std::memory_order_relaxed); }
  void let_go() {
    if (uses_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

 private:
  ~VarState() = default;
  [[nodiscard]] VarMore& make_more() {
    if (!more_) more_ = std::make_unique<VarMore>();
    return *more_;
  }
  std::unique_ptr<VarMore> more_;
  std::uint32_t writes_in_flight_ = 0;
  std::atomic<std::uint32_t> uses_{0};
};
static_assert(sizeof(VarState) <= 56, "a cache line, with what the allocator adds");

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
