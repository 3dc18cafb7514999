// RunAheadGate: counts what is in flight, and holds frontends back while it is too much, or until what came
// before has drained.
//   enter(), begin_drain()   under the engine's enqueue lock, by frontends
//   leave()                  completing threads
//   wait_*()                 frontends
// What entered is counted by the enqueuing side and what left by the completing side, each in memory of its
// own, so that an op moves no cache line between the two. The enqueuing side keeps what it saw leave when it
// looked last, and looks again only when that is not enough: what it knows errs on the side of more in
// flight.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "engine/sync/enqueue_lock.h"
#include "engine/sync/waiter.h"
#include "instrumentation/base/ids.h"
#include "instrumentation/base/mutex.h"
#include "instrumentation/base/time.h"

namespace runahead::engine {

// What may be in flight; <= 0: no bound.
struct InFlightBound {
  std::int64_t ops = 0;
  std::int64_t bytes = 0;

  // What keeps both.
  [[nodiscard]] InFlightBound and_also(InFlightBound other) const {
    return {tighter(ops, other.ops), tighter(bytes, other.bytes)};
  }

 private:
  static std::int64_t tighter(std::int64_t a, std::int64_t b) { return a <= 0 || (b > 0 && b < a) ? b : a; }
};

// Ops that have left, of one executor. Sequentially consistent with RunAheadGate::waiting_: either the
// completing thread sees who waits, or who waits sees what has left.
struct alignas(64) LeftTally {
  std::atomic<std::int64_t> ops[2]{};  // by the round in which they entered
  std::atomic<std::int64_t> bytes{0};
};

class RunAheadGate {
 public:
  static constexpr int kMostTallies = 64;  // executors of an engine

  // before_wait: called by a frontend that is registered and about to wait, with no lock held but that of
  // wait_drained().
  RunAheadGate(InFlightBound bound, std::function<void()> before_wait);

  // A tally for the completions of one executor; lives as long as the gate. Under the enqueue lock.
  [[nodiscard]] LeftTally& add_tally();

  // ---- under the enqueue lock ----
  void set_bound(InFlightBound bound);
  // Whether one more op with `bytes` of outputs fits under that bound. With nothing in flight it does,
  // however large it is: an op that is larger than a bound goes alone.
  [[nodiscard]] bool admits(std::int64_t bytes) {
    return (room_ops_ > 0 && bytes <= room_bytes_) || admits(bound_, bytes);
  }
  // The same of another bound.
  [[nodiscard]] bool admits(InFlightBound bound, std::int64_t bytes);
  // Returns the round that the op's leave() has to name.
  [[nodiscard]] int enter(std::int64_t bytes) {
    std::atomic<std::int64_t>& entered = entered_ops_[round_];
    entered.store(entered.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);  // one writer
    if (--room_ops_ < 0) look();
    if (bytes != 0) enter_more(bytes);
    return round_;
  }
  // More bytes of an op that has entered.
  void enter_more(std::int64_t bytes);
  // Somebody is registered: an op that entered after a false answer is seen by before_wait of whoever comes.
  [[nodiscard]] bool anyone_waits() const { return waiting_.load(std::memory_order_seq_cst) > 0; }
  void reset_maxima();

  // ---- completing threads ----
  // True: it has let somebody go.
  bool leave(LeftTally& tally, int round, std::int64_t bytes, OpId op) {
    if (bytes != 0) tally.bytes.fetch_add(bytes, std::memory_order_seq_cst);
    tally.ops[round].fetch_add(1, std::memory_order_seq_cst);
    return waiting_.load(std::memory_order_seq_cst) > 0 && someone_may_go() && release_held(op);
  }

  // ---- frontends; each returns the op whose end let it go, kNoOp if nothing had to be waited for ----
  // Until one more op with `bytes` of outputs fits under `bound`, or (bytes < 0) until no more than the bound
  // is in flight.
  OpId wait_until(InFlightBound bound, std::int64_t bytes, WaitMode mode);
  // Until all that had entered before the call has left; what enters meanwhile is not waited for, but for
  // what enters while an earlier call of another frontend still waits. enqueue_lock: the engine's, not held.
  OpId wait_drained(EnqueueLock& enqueue_lock, WaitMode mode);

  // ---- anyone ----
  [[nodiscard]] std::int64_t ops() const;
  [[nodiscard]] std::int64_t bytes() const;
  [[nodiscard]] std::int64_t left_ops() const { return left_ops(0) + left_ops(1); }
  // Since reset_maxima(). Of ops, where many are in flight and their number keeps growing, a sixty-fourth
  // part may be missing: it is looked at that often.
  [[nodiscard]] std::int64_t max_ops() const { return max_ops_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::int64_t max_bytes() const { return max_bytes_.load(std::memory_order_relaxed); }

 private:
  struct Held {
    InFlightBound bound;
    std::int64_t bytes;
    int drained_round;  // >= 0: waits until this round has left
    Waiter* waiter;
  };
  const std::function<void()> before_wait_;
  // ---- under the enqueue lock ----
  // What is known to be in flight, but for what left since it looked.
  [[nodiscard]] std::int64_t known_ops() const { return look_at_ops_ - room_ops_; }
  [[nodiscard]] std::int64_t known_bytes() const { return look_at_bytes_ - room_bytes_; }
  [[nodiscard]] bool fits(InFlightBound bound, std::int64_t bytes) const;  // by what is known
  void look();

  [[nodiscard]] bool release(const Held& held) const;
  [[nodiscard]] bool someone_may_go() const;
  bool release_held(OpId op);
  void note_held_locked() RUNAHEAD_REQUIRES(mutex_);
  OpId hold(const Held& held, WaitMode mode);
  OpId wait_for_round(int round, WaitMode mode);
  [[nodiscard]] std::int64_t left_ops(int round) const;
  [[nodiscard]] std::int64_t left_bytes() const;
  [[nodiscard]] std::int64_t in_flight(int round) const;

  // Written under the enqueue lock, read by anyone.
  alignas(64) std::atomic<std::int64_t> entered_ops_[2]{};
  std::atomic<std::int64_t> entered_bytes_{0};
  int round_ = 0;        // enqueue lock
  InFlightBound bound_;  // enqueue lock
  // Enqueue lock: with more in flight than this the bound may be passed, or a maximum, and it has to look;
  // and how much may enter until then. It is all that most ops are compared with.
  std::int64_t look_at_ops_ = 0, look_at_bytes_ = 0;
  std::int64_t room_ops_ = 0, room_bytes_ = 0;
  std::atomic<std::int64_t> max_ops_{0}, max_bytes_{0};

  alignas(64) std::atomic<int> waiting_{0};
  std::atomic<int> tally_count_{0};
  LeftTally tallies_[kMostTallies];
  Mutex drain_mutex_;    // of the one frontend that drains; taken before the enqueue lock
  mutable Mutex mutex_;  // never nests
  std::vector<Held> held_ RUNAHEAD_GUARDED_BY(mutex_);
  std::atomic<std::int64_t> go_at_ops_{-1}, go_at_bytes_{-1};  // written under mutex_: see someone_may_go()
  std::atomic<bool> drains_[2]{};  // written under mutex_: someone waits for this round
};

}  // namespace runahead::engine
