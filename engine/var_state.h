// VarState: what the enqueuing side knows of a Var; no other thread touches it. The dependency protocol is
// told in op_node.h.
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

class VarHome;

// Guarded by the engine's enqueue lock, but for the handles. Small: the enqueuing side touches one for each
// read and write, and most are out of its cache by then.
class VarState : public FreelistAllocated<VarState> {
 public:
  // With one handle.
  VarState(VarHome& of, std::string_view name) : home(of) {
    if (!name.empty()) make_more().name = name;
  }

  VarHome& home;
  OpRef writer;  // of the last write; without its node once that is known to have succeeded
  union {
    std::uint64_t stamp = 0;  // of the last enqueue that listed it: finds a Var listed twice
    VarState* next_dropped;   // when nobody can list it any more
  };
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

  // Of each op that writes it, from its enqueue until it has come back to the slab: it stays for so long.
  void begin_write() { ++writes_in_flight_; }
  void end_write() {
    if (--writes_in_flight_ == kDropped) end();
  }
  // Handles. Any thread.
  void keep() { handles_.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    // Who has the only one is alone with it.
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
  std::uint32_t writes_in_flight_ = 0;  // + kDropped: no handle is left
  std::atomic<std::uint32_t> handles_{1};
};
static_assert(sizeof(VarState) <= 56, "a cache line, with what the allocator adds");

// Where an engine's Vars belong. One whose last handle is gone comes here, by any thread: only the enqueuing
// side knows whether an op is still to write it, and ends it. So an op costs a Var no read-modify-write. It
// outlives its engine while there are Vars.
class VarHome {
 public:
  VarHome() = default;
  VarHome(const VarHome&) = delete;
  VarHome& operator=(const VarHome&) = delete;

  // One more is made, which has this for its home; returns how many were before. Any thread, while the engine
  // lives.
  std::int64_t add() { return made_.fetch_add(1, std::memory_order_relaxed); }
  // Any thread.
  void drop(VarState& var);

  // ---- under the enqueue lock ----
  // Ends those that were dropped and that no op is to write, the others when their last write is done.
  void end_dropped() {
    if (dropped_.load(std::memory_order_relaxed) != nullptr) take_dropped();
  }
  void ended() { ++ended_; }
  // The engine is gone, with nothing in flight: Vars that are left end with their last handle, and this with
  // the last of them.
  void close();

 private:
  ~VarHome() = default;
  void take_dropped();
  void end_list(VarState* var);
  void leave(std::int64_t vars);
  static VarState* closed();

  std::atomic<VarState*> dropped_{
      nullptr};  // a stack, through VarState::next_dropped; closed(): the engine is gone
  alignas(64) std::atomic<std::int64_t> made_{0};
  std::atomic<std::int64_t> left_{0};  // once closed: + those that were left, - those that have ended since
  std::int64_t ended_ = 0;
};

}  // namespace runahead::engine
