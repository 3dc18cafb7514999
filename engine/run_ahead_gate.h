// RunAheadGate: counts the ops and bytes in flight. An op enters the gate at its enqueue, and leaves it when
// it has ended. A frontend waits at the gate while too many ops or bytes are in flight, or until all earlier
// ops have left.
//
// Roles.
//   frontends, under the engine's enqueue lock  enter(), enter_more(), admits(), the start of a drain
//   completing threads                          leave()
//   frontends                                   wait_until(), wait_drained()
//
// Method. The enqueuing side counts the ops and bytes that entered. The completing side counts the ops and
// bytes that left. Each side counts in its own cache lines, so counting an op moves no cache line between the
// sides. The enqueuing side does not read the counts of the completing side for every op. It reads these
// counts (look()) only when, according to the last reading, a bound or the recorded maximum may be exceeded.
// Therefore the number of ops in flight that the enqueuing side assumes may be too high, but never too low.
//
// Invariants and memory order.
// - entered_ops_, entered_bytes_: one writer at a time (enqueue lock), read by any thread, relaxed. A reader
//   first reads how many ops and bytes have left, so that entered - left is never negative.
// - LeftTally and waiting_ are sequentially consistent. leave() adds to the tally, then reads waiting_.
//   hold() registers in waiting_, then reads the tallies. Therefore the completing thread sees the waiter, or
//   the waiter sees the op leave.
// - drains_, go_at_ops_, go_at_bytes_ and waiting_ are written under mutex_ (note_held_locked()) and read by
//   completing threads without it (someone_may_go()). They are hints: release_held() decides under mutex_.
// - tally_count_: release in add_tally(), acquire in left_ops() and left_bytes().
// - Each op belongs to one of two groups, which are called rounds 0 and 1 and are counted separately. A drain
//   (wait_drained()) switches the round that new ops enter, and waits until all ops of the old round have
//   left.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "engine/sync/enqueue_lock.h"
#include "engine/sync/waiter.h"
#include "instrumentation/base/ids.h"
#include "instrumentation/base/mutex.h"
#include "instrumentation/base/time.h"

namespace runahead::engine {

// A bound for the ops and bytes in flight. <= 0: no bound.
struct InFlightBound {
  std::int64_t ops = 0;
  std::int64_t bytes = 0;

  // Returns the stricter of the two bounds, separately for ops and for bytes.
  [[nodiscard]] InFlightBound and_also(InFlightBound other) const {
    return {tighter(ops, other.ops), tighter(bytes, other.bytes)};
  }

 private:
  static std::int64_t tighter(std::int64_t a, std::int64_t b) { return a <= 0 || (b > 0 && b < a) ? b : a; }
};

// Counts the ops of one executor that have left. Written by completing threads, read by any thread;
// sequentially consistent with RunAheadGate::waiting_ (see the invariants above).
struct alignas(64) LeftTally {
  std::atomic<std::int64_t> ops[2]{};  // index: the round in which the ops entered
  std::atomic<std::int64_t> bytes{0};
};

class RunAheadGate {
 public:
  static constexpr int kMostTallies = 64;  // the maximum number of executors of an engine

  // before_wait: a function that a frontend calls after it has registered as waiting and before it waits.
  // During this call the frontend holds no lock, except the drain mutex in wait_drained().
  RunAheadGate(InFlightBound bound, std::function<void()> before_wait);

  // Adds a tally: a counter for the ops of one executor that have left. The tally lives as long as the gate.
  // REQUIRES: the enqueue lock.
  [[nodiscard]] LeftTally& add_tally();

  // ---- under the enqueue lock ----
  void set_bound(InFlightBound bound);
  // True: one more op with `bytes` of outputs fits under the bound of set_bound(). If nothing is in flight,
  // any op fits: an op larger than the bound runs alone.
  [[nodiscard]] bool admits(std::int64_t bytes) {
    return (room_ops_ > 0 && bytes <= room_bytes_) || admits(bound_, bytes);
  }
  // Like the other admits(), but with `bound` as the bound.
  [[nodiscard]] bool admits(InFlightBound bound, std::int64_t bytes);
  // Counts an op as in flight. Returns the round of the op, which must be passed to leave().
  [[nodiscard]] int enter(std::int64_t bytes) {
    std::atomic<std::int64_t>& entered = entered_ops_[round_];
    // Only one thread writes at a time, so no read-modify-write is needed.
    entered.store(entered.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    if (--room_ops_ < 0) look();
    if (bytes != 0) enter_more(bytes);
    return round_;
  }
  // Adds bytes of outputs to an op that has entered.
  void enter_more(std::int64_t bytes);
  // True: a frontend is registered as waiting. False: no frontend waits yet. If a frontend registers later,
  // its before_wait() sees every op that entered before this call of anyone_waits().
  [[nodiscard]] bool anyone_waits() const { return waiting_.load(std::memory_order_seq_cst) > 0; }
  void reset_maxima();

  // Counts that an op has left. Returns true if this call released a waiting frontend.
  bool leave(LeftTally& tally, int round, std::int64_t bytes, OpId op) {
    if (bytes != 0) tally.bytes.fetch_add(bytes, std::memory_order_seq_cst);
    tally.ops[round].fetch_add(1, std::memory_order_seq_cst);
    return waiting_.load(std::memory_order_seq_cst) > 0 && someone_may_go() && release_held(op);
  }

  // ---- frontends; both return the op whose end released the caller; kNoOp: there was no wait; nothing:
  // mode.interrupt has ended the wait ----
  // bytes >= 0: waits until one more op with `bytes` of outputs fits under `bound`. bytes < 0: waits until
  // the ops and bytes in flight do not exceed `bound`.
  std::optional<OpId> wait_until(InFlightBound bound, std::int64_t bytes, WaitMode mode);
  // Waits until all ops that entered before the call have left. Does not wait for ops that enter during the
  // call, except while an earlier wait_drained() of another frontend still runs, or while ops of an
  // interrupted wait_drained() are still in flight. enqueue_lock: the engine's lock. REQUIRES: the caller
  // does not hold that lock.
  std::optional<OpId> wait_drained(EnqueueLock& enqueue_lock, WaitMode mode);

  // ---- any thread ----
  [[nodiscard]] std::int64_t ops() const;
  [[nodiscard]] std::int64_t bytes() const;
  [[nodiscard]] std::int64_t left_ops() const { return left_ops(0) + left_ops(1); }
  // Maxima since the last reset_maxima(). While many ops are in flight and their number grows, the maximum of
  // ops may be too low by up to 1/64, because the maximum is not updated for every op.
  [[nodiscard]] std::int64_t max_ops() const { return max_ops_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::int64_t max_bytes() const { return max_bytes_.load(std::memory_order_relaxed); }

 private:
  struct Held {
    InFlightBound bound;
    std::int64_t bytes;
    int drained_round;  // >= 0: waits until all ops of this round have left; -1: waits for `bound`
    Waiter* waiter;
  };
  const std::function<void()> before_wait_;
  // ---- under the enqueue lock ----
  // Number of ops in flight as known to the enqueuing side. Ops that left after the last look() are still
  // included.
  [[nodiscard]] std::int64_t known_ops() const { return look_at_ops_ - room_ops_; }
  [[nodiscard]] std::int64_t known_bytes() const { return look_at_bytes_ - room_bytes_; }
  [[nodiscard]] bool fits(InFlightBound bound, std::int64_t bytes) const;  // by known_ops(), known_bytes()
  void look();

  [[nodiscard]] bool release(const Held& held) const;
  [[nodiscard]] bool someone_may_go() const;
  bool release_held(OpId op);
  void note_held_locked() RUNAHEAD_REQUIRES(mutex_);
  std::optional<OpId> hold(const Held& held, WaitMode mode);
  std::optional<OpId> wait_for_round(int round, WaitMode mode);
  [[nodiscard]] std::int64_t left_ops(int round) const;
  [[nodiscard]] std::int64_t left_bytes() const;
  [[nodiscard]] std::int64_t in_flight(int round) const;

  // Written under the enqueue lock, read by any thread.
  alignas(64) std::atomic<std::int64_t> entered_ops_[2]{};
  std::atomic<std::int64_t> entered_bytes_{0};
  int round_ = 0;        // guarded by the enqueue lock
  InFlightBound bound_;  // guarded by the enqueue lock
  // Guarded by the enqueue lock. look_at_*: the numbers of ops and bytes in flight above which a bound or a
  // maximum may be exceeded, so that look() is needed. room_*: how many ops and bytes may still enter before
  // look() is needed. For most ops only room_* is checked.
  std::int64_t look_at_ops_ = 0, look_at_bytes_ = 0;
  std::int64_t room_ops_ = 0, room_bytes_ = 0;
  std::atomic<std::int64_t> max_ops_{0}, max_bytes_{0};  // written under the enqueue lock, read by any thread

  alignas(64) std::atomic<int> waiting_{0};  // written under mutex_, read by any thread
  std::atomic<int> tally_count_{0};          // written under the enqueue lock, read by any thread
  LeftTally tallies_[kMostTallies];
  Mutex drain_mutex_;  // held by the one frontend that drains; taken before the enqueue lock
  // True: a drain was interrupted, so the round that new ops do not enter may still have ops.
  bool drain_left_ops_ RUNAHEAD_GUARDED_BY(drain_mutex_) = false;
  mutable Mutex mutex_;  // never nests
  std::vector<Held> held_ RUNAHEAD_GUARDED_BY(mutex_);
  // written under mutex_, read by completing threads
  std::atomic<std::int64_t> go_at_ops_{-1}, go_at_bytes_{-1};
  // Index: round. True: a frontend waits until all ops of this round have left. Written under mutex_, read by
  // completing threads.
  std::atomic<bool> drains_[2]{};
};

}  // namespace runahead::engine
