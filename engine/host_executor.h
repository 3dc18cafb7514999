// HostExecutor: worker threads that run ops of a device which runs them on its caller's thread (cpu).
//
// Ready ops come by two ways: those that are ready when they are enqueued through op_queue_, those that an
// end lets go through inbox_, a stack that any thread pushes. A worker takes all of both at once into queue_,
// which has the engine's order, and runs the first. A worker whose op released just one successor, with
// nothing else waiting, runs it directly. A wake-up is called only when a worker sleeps and none is searching
// for work: the searcher will find it, and on finding wakes the next if there is more.
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
    bool helped = false;  // run_one() may be called
  };
  HostExecutor(Device& device, LeftTally& left, OpRunner& runner, ReadyOrder order, const WorkerPool& pool);
  ~HostExecutor() override { stop(); }

  // As Executor says.
  [[nodiscard]] Fed feed(OpNode& node) {
    if (node.priority() != 0) urgent_.store(true, std::memory_order_relaxed);  // the push publishes it
    op_queue_.push(node);
    fence_.light();
    return has_to_wake(pool_.load(std::memory_order_relaxed)) ? Fed::kAnnounce : Fed::kYes;
  }
  void announce() override;
  void make_ready(OpNode& node) override;
  void stop() override;
  // Runs one op that is ready, on the calling thread; false: none is. Any thread. REQUIRES: helped.
  bool run_one();

 private:
  // Workers that sleep in the low half of pool_, those that search in the high half. A worker on its own does
  // not count as a searcher: it is awake, which is enough to know, and who makes work reads pool_ for every
  // op.
  static constexpr std::uint32_t kSleeper = 1;
  static constexpr std::uint32_t kSearcher = 1u << 16;

  // How a worker without work looks for it. Soon after an op that a frontend waited for at once, as the next
  // is likely to be waited for too. A frontend that does nothing but enqueue is better left alone for a
  // while: each look takes a cache line from it that it writes for every op, and ops that come in batches
  // cost both sides less. So the gap between looks doubles while ops turn out to have come fast, and halves
  // while not. The most of it is a quarter of what waking a thread takes.
  struct WorkerSpin {
    SpinPolicy spin;
    static constexpr int kSoonOps = 64;
    static constexpr std::uint64_t kLeastGap = 32;  // ticks: a pause or two
    static constexpr double kMostGap_ns = 10'000;
    // From op to op. A frontend that makes small arrays takes 200 to 800 ns, and a third longer where each op
    // is taken from it at once.
    static constexpr double kFast_ns = 1000;
    int since_waited_for = 0;       // ops
    std::uint64_t gap = kLeastGap;  // ticks between two looks
    std::uint64_t searched_at = 0;  // when it last ran out of work
    std::int64_t ops = 0;           // since then
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
  OpNode* find_work(WorkerSpin& spin, bool& idled);  // null: stopping
  OpNode* take();
  OpNode* settle(ReadyList& released);
  [[nodiscard]] std::unique_lock<std::mutex> lock_queue();
  // What is ready and not queued yet; ready_now: an op that became ready at this moment is to be queued
  // after.
  void collect_locked(bool ready_now = false);
  OpNode* pop_locked();
  void stop_searching();
  bool go_to_sleep();  // true: counted as a searcher again
  // Somebody sleeps, and nobody searches.
  static bool has_to_wake(std::uint32_t pool) { return pool != 0 && pool < kSearcher; }
  void wake_one();
  void spin_for_work(WorkerSpin& spin) const;
  [[nodiscard]] std::size_t queued() const;
  [[nodiscard]] bool has_work() const;

  OpRunner& runner_;
  const std::string name_;
  const Duration spin_;
  const bool shared_;             // more than one thread takes ops
  const std::uint32_t searcher_;  // what one that searches counts for
  const AsymmetricFence fence_;

  OpQueue op_queue_;
  // Frontends raise it when they feed an op of another priority than 0, workers lower it: such an op has to
  // be looked for even while others are queued.
  std::atomic<bool> urgent_{false};
  alignas(64) std::atomic<OpNode*> inbox_{nullptr};  // pushed by any thread, emptied by workers
  // Read by whoever has made work (after the light fence), changed by workers (before the heavy one, where
  // they go to sleep): either the maker sees the sleeper, or that one the work.
  alignas(64) std::atomic<std::uint32_t> pool_{0};
  std::atomic<std::size_t> queued_{0};  // size of queue_, for looking without the lock; only if shared_
  std::atomic<bool> stopping_{false};
  std::mutex queue_mutex_;  // guards queue_ and the consumer's end of op_queue_, if shared_; never nests
  alignas(64) ReadyQueue queue_;  // if not shared_, the worker's
  Mutex sleep_mutex_;             // never nests
  std::condition_variable sleep_;
  int calls_ RUNAHEAD_GUARDED_BY(sleep_mutex_) = 0;  // wake-ups not yet taken up
  std::vector<std::thread> workers_;
};

}  // namespace runahead::engine
