// VarState: what the enqueuing side knows about a Var. Other threads access only the VarState's handle count,
// and next_dropped when they drop the last handle. op_node.h explains the dependency protocol.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/op_node.h"
#include "engine/sync/failures.h"
#include "instrumentation/base/freelist.h"

namespace runahead::engine {

// Identifies an op by its node and number. A node is reused for later ops; the number shows whether the node
// still belongs to this op. All uses REQUIRE the enqueue lock.
struct OpRef {
  OpNode* node = nullptr;
  std::uint64_t number = 0;

  [[nodiscard]] bool is_current() const { return node != nullptr && node->number() == number; }
  [[nodiscard]] bool in_flight() const { return is_current() && !node->done(); }
};

// Members that few Vars need: Vars with a name, with readers in flight, or with a failed last write.
struct VarMore {
  std::string name;
  std::vector<OpRef> readers;  // ops that read the Var after its last write
  // when `readers` reaches this size, the ops that are done are removed; the cost per added reader is
  // amortised O(1)
  std::size_t prune_at = 8;
  FailurePtr failure;               // failure of the write by op failed_number
  std::uint64_t failed_number = 0;  // number of the newest write that failed
};

class VarHome;

// Guarded by the engine's enqueue lock, except handles_ and next_dropped. The struct is small, because the
// enqueuing side touches one VarState for each read and write, and most VarStates are then not in the CPU's
// cache.
class VarState : public FreelistAllocated<VarState> {
 public:
  // Starts with one handle.
  VarState(VarHome& of, std::string_view name) : home(of) {
    if (!name.empty()) make_more().name = name;
  }

  VarHome& home;
  OpRef writer;  // the last writer; `node` is null once this op is known to have succeeded
  union {
    // Used while the Var has handles. A check finds out whether an op lists the same Var twice. `stamp` is
    // the number (Core::stamps_) of the last such check that looked at this Var.
    std::uint64_t stamp = 0;
    // When no handle is left: the next Var in the VarHome's list of dropped Vars.
    VarState* next_dropped;
  };
  std::uint64_t version = 0;  // number of completed writes; counted when the node of the write is reclaimed

  [[nodiscard]] std::string_view name() const { return more_ ? more_->name : std::string_view(); }
  [[nodiscard]] std::span<const OpRef> readers() const {
    return more_ ? std::span<const OpRef>(more_->readers) : std::span<const OpRef>();
  }
  void add_reader(OpRef op);
  void clear_readers() {
    if (more_) more_->readers.clear();
  }
  // Returns the failure of the write by op `number`, if that write is the newest failed write; otherwise
  // null.
  [[nodiscard]] FailurePtr failure_of(std::uint64_t number) const {
    return more_ && more_->failed_number == number ? more_->failure : nullptr;
  }
  // Stores the failure of a write. The calls need not come in the order of `number`, because the nodes of the
  // writing ops are reclaimed in any order.
  void note_failure(const FailurePtr& failure, std::uint64_t number);

  // Call begin_write() at the enqueue of an op that writes the Var, and end_write() when the op's node is
  // reclaimed. The VarState lives until that end_write(), even if no handle is left.
  void begin_write() { ++writes_in_flight_; }
  void end_write() {
    if (--writes_in_flight_ == kDropped) end();
  }
  // The handle count. Any thread.
  void keep() { handles_.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    // The acquire pairs with the fetch_sub (release) of threads that dropped other handles. If the count is
    // 1, this thread has the only handle, so no other thread can change the count.
    if (handles_.load(std::memory_order_acquire) == 1 ||
        handles_.fetch_sub(1, std::memory_order_acq_rel) == 1)
      drop();
  }

 private:
  friend class VarHome;
  static constexpr std::uint32_t kDropped = 1u << 31;
  ~VarState() = default;
  void drop();
  void end();
  [[nodiscard]] VarMore& make_more() {
    if (!more_) more_ = std::make_unique<VarMore>();
    return *more_;
  }
  std::unique_ptr<VarMore> more_;
  std::uint32_t writes_in_flight_ = 0;     // number of writes in flight, + kDropped if no handle is left
  std::atomic<std::uint32_t> handles_{1};  // written by any thread
};
static_assert(sizeof(VarState) <= 56, "one cache line, with the allocator's overhead");

// VarHome: the Vars of an engine. When the last handle of a Var is gone, on any thread, the Var is put on a
// list of the VarHome. Only the enqueuing side knows whether an op will still write the Var, so only that
// side deletes the Var. Therefore an op needs no handle of its own for the Vars that it uses. Such a handle
// would cost a read-modify-write for each Var. The VarHome lives until its last Var is deleted, even if that
// is after the end of its engine.
class VarHome {
 public:
  VarHome() = default;
  VarHome(const VarHome&) = delete;
  VarHome& operator=(const VarHome&) = delete;

  // Counts a new Var. Returns the number of Vars that were made before. Any thread, while the engine lives.
  std::int64_t add() { return made_.fetch_add(1, std::memory_order_relaxed); }
  // Call this when the last handle of `var` is gone. Any thread.
  void drop(VarState& var);

  // Deletes the dropped Vars (Vars without a handle) that no op will write. The other dropped Vars are
  // deleted when their last write is reclaimed.
  void end_dropped() {
    if (dropped_.load(std::memory_order_relaxed) != nullptr) take_dropped();
  }
  // Call this when one Var of this home was deleted.
  void ended() { ++ended_; }
  // Called at the engine's end, with nothing in flight. After that, each remaining Var is deleted together
  // with its last handle, and the VarHome together with its last Var.
  void close();

 private:
  ~VarHome() = default;
  void take_dropped();
  void end_list(VarState* var);
  void leave(std::int64_t vars);
  static VarState* closed();

  std::atomic<VarState*> dropped_{
      // A stack linked by VarState::next_dropped; the value closed() means that the engine is gone. Any
      // thread pushes (release, pairs with the acquire in take_dropped()); close() exchanges (release, pairs
      // with the acquire in drop()).
      nullptr};
  alignas(64) std::atomic<std::int64_t> made_{0};  // any thread adds
  std::atomic<std::int64_t> left_{0};  // after close(): number of Vars that are left; any thread subtracts
  std::int64_t ended_ = 0;             // guarded by the enqueue lock
};

}  // namespace runahead::engine
