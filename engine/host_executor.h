// HostExecutor: worker threads for a device that runs ops on its caller's thread (cpu).
//
// Ready ops arrive in two ways. An op that is ready at its enqueue arrives through op_queue_. An op that
// becomes ready when another op ends arrives through inbox_, a stack that any thread pushes to. A worker
// moves all ops of op_queue_ and inbox_ into queue_, which keeps the engine's order, and runs the first op.
// If a worker's op released exactly one successor and no other op waits, the worker runs that successor
// directly. A thread that makes work (adds a ready op) wakes a worker only if one sleeps and no worker
// searches for work. A searching worker finds the work itself, and wakes the next worker if there is more
// work.
//
// Invariants and memory order.
// - op_queue_: frontends push under the engine's enqueue lock, one at a time. Workers drain it under
//   queue_mutex_; a single worker needs no mutex.
// - inbox_: any thread pushes (release in make_ready()); a worker takes all (acquire in collect_locked()).
// - pool_ counts sleeping and searching workers. A thread that makes work first publishes it, then passes the
//   light fence, then reads pool_. A worker that stops searching first writes pool_, then passes the heavy
//   fence, then looks for work. Therefore the thread that makes work sees the sleeper, or the worker sees the
//   work (AsymmetricFence).
//   All operations on pool_ are relaxed.
// - urgent_: relaxed; the push to op_queue_ publishes it.
// - queued_: a hint, relaxed.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "engine/executor.h"
#include "engine/op_queue.h"
#include "engine/op_runner.h"
#include "engine/ready_queue.h"
#include "engine/sync/asymmetric_fence.h"
#include "instrumentation/base/mutex.h"
#include "instrumentation/base/tick_clock.h"

namespace runahead::engine {

class HostExecutor final : public Executor {
 public:
  struct WorkerPool {
    std::string name;  // "cpu": its workers are "cpu 0", "cpu 1"
    int workers = 1;
    Duration spin{};      // how long an idle worker looks for work before it sleeps
    bool helped = false;  // true: waiting frontends may call run_one()
  };
  HostExecutor(Device& device, LeftTally& left, OpRunner& runner, ReadyOrder order, const WorkerPool& pool);
  ~HostExecutor() override { stop(); }

  // See Executor. REQUIRES: the engine's enqueue lock.
  [[nodiscard]] Fed feed(OpNode& node) {
    // push() publishes the store to urgent_
    if (node.priority() != 0) urgent_.store(true, std::memory_order_relaxed);
    op_queue_.push(node);
    fence_.light();
    return has_to_wake(pool_.load(std::memory_order_relaxed)) ? Fed::kAnnounce : Fed::kYes;
  }
  void announce() override;
  void make_ready(OpNode& node) override;
  void stop() override;
  // Runs one ready op on the calling thread. False: no op is ready. Any thread. REQUIRES: WorkerPool::helped.
  bool run_one();

 private:
  // pool_: the number of sleeping workers in the low half, and of searching workers in the high half. A
  // single worker is not counted as a searcher: it is enough to know whether that worker sleeps. This saves
  // writes to pool_, which is read for every op.
  static constexpr std::uint32_t kSleeper = 1;
  static constexpr std::uint32_t kSearcher = 1u << 16;

  // WorkerSpin: how often a worker without work looks for work. Owned by one worker thread. Shortly after an
  // op for which a frontend waited, the gap between looks is smallest, because a frontend will probably wait
  // for the next op too. If a frontend only enqueues, the worker should not disturb it: each look takes away
  // a cache line that the frontend writes for every op. Frontend and worker need less time per op if the
  // worker takes ops in batches. Therefore the gap between two looks doubles while ops come fast, and halves
  // while ops come slowly. The largest gap is a quarter of the time that waking a thread takes.
  struct WorkerSpin {
    SpinPolicy spin;
    static constexpr int kSoonOps = 64;
    static constexpr std::uint64_t kLeastGap = 32;  // ticks: as long as one or two pause instructions
    static constexpr double kMostGap_ns = 10'000;
    // If a frontend needs less time per op than this, ops come fast. A frontend that makes small arrays needs
    // 200 to 800 ns per op, and a third more if a worker takes each op immediately.
    static constexpr double kFast_ns = 1000;
    int since_waited_for = 0;       // number of ops since a frontend last waited for an op
    std::uint64_t gap = kLeastGap;  // ticks between two looks
    std::uint64_t searched_at = 0;  // when the worker last ran out of work
    std::int64_t ops = 0;           // ops run since searched_at
    void note_op(bool waited_for) {
      ++ops;
      since_waited_for = waited_for ? 0 : since_waited_for + 1;
      if (since_waited_for < kSoonOps) gap = kLeastGap;
    }
    void note_search(std::uint64_t now) {
      const double ticks_per_ns = TickClock::get().ticks_per_ns();
      const bool fast =
          static_cast<double>(now - searched_at) < kFast_ns * ticks_per_ns * static_cast<double>(ops);
      const auto most = static_cast<std::uint64_t>(kMostGap_ns * ticks_per_ns);
      gap = fast ? std::min(2 * gap, most) : std::max(gap / 2, kLeastGap);
      searched_at = now;
      ops = 0;
    }
  };

  void work(int index, OpQueue& returns);
  OpNode* find_work(WorkerSpin& spin, bool& idled);  // null: the executor stops
  OpNode* take();
  OpNode* dispatch_released(ReadyList& released);
  [[nodiscard]] std::unique_lock<std::mutex> lock_queue();
  // Moves ready ops from inbox_ and op_queue_ to queue_. ready_now: the caller will queue an op that became
  // ready only now, so older ops in op_queue_ must be queued first.
  void collect_locked(bool ready_now = false);
  OpNode* pop_locked();
  void stop_searching();
  bool go_to_sleep();  // true: the worker is awake and counted as a searcher; false: the executor stops
  // True: a worker sleeps, and no worker searches.
  static bool has_to_wake(std::uint32_t pool) { return pool != 0 && pool < kSearcher; }
  void wake_one();
  void spin_for_work(WorkerSpin& spin) const;
  [[nodiscard]] std::size_t queued() const;
  [[nodiscard]] bool has_work() const;

  OpRunner& runner_;
  const std::string name_;
  const Duration spin_;
  const bool shared_;             // true: more than one thread takes ops
  const std::uint32_t searcher_;  // one searcher adds this to pool_: kSearcher, or 0 for a single worker
  const AsymmetricFence fence_;

  OpQueue op_queue_;
  // True: op_queue_ may contain an op with a priority other than 0. A worker must look for such an op even
  // while other ops are queued. Written by frontends (true) and by workers (false).
  std::atomic<bool> urgent_{false};
  alignas(64) std::atomic<OpNode*> inbox_{nullptr};  // pushed by any thread, emptied by workers
  // Written by workers and by threads that wake a worker. Read by threads that make work. See the invariants
  // above.
  alignas(64) std::atomic<std::uint32_t> pool_{0};
  std::atomic<std::size_t> queued_{0};  // size of queue_, read without the lock; used only if shared_
  std::atomic<bool> stopping_{false};   // written by stop(), read by workers
  std::mutex queue_mutex_;        // guards queue_ and the consumer's end of op_queue_ if shared_; never nests
  alignas(64) ReadyQueue queue_;  // if not shared_: used only by the worker
  Mutex sleep_mutex_;             // never nests
  std::condition_variable sleep_;
  int calls_ RUNAHEAD_GUARDED_BY(sleep_mutex_) = 0;  // wake-ups that no worker has consumed yet
  std::vector<std::thread> workers_;                 // set by the constructor
};

}  // namespace runahead::engine
