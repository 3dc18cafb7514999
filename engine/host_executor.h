// HostExecutor: worker threads that run ops of a device which runs them on its caller's thread (cpu).
//
// Ready ops arrive in inbox_, a stack that any thread pushes. A worker takes all of it at once into queue_,
// which has the engine's order, and runs the first. A worker whose op released just one successor, with
// nothing else waiting, runs it directly.
// A wake-up is called only when a worker sleeps and none is searching for work: the searcher will find it,
// and on finding wakes the next if there is more.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/executor.h"
#include "engine/op_runner.h"
#include "engine/ready_queue.h"

namespace runahead::engine {

class HostExecutor final : public Executor {
 public:
  // spin: how long an idle worker looks for work before it sleeps.
  HostExecutor(Device& device, OpRunner& runner, ReadyOrder order, int workers, Duration spin);
  ~HostExecutor() override { stop(); }

  void make_ready(OpNode& node) override;
  void stop() override;

 private:
  // Workers that sleep in the low half of crew_, those that search in the high half.
  static constexpr std::uint32_t kSleeper = 1;
  static constexpr std::uint32_t kSearcher = 1u << 16;

  void work(int index);
  OpNode* find_work(bool& idled);  // null: stopping
  OpNode* take();
  OpNode* settle(ReadyList& released);
  void drain_inbox_locked();
  void stop_searching();
  bool go_to_sleep();  // true: counted as a searcher again
  void wake_one();
  void spin_for_work() const;
  [[nodiscard]] bool has_work() const;

  OpRunner& runner_;
  const Duration spin_;
  const bool shared_;  // more than one worker

  std::atomic<OpNode*> inbox_{nullptr};  // pushed by any thread, emptied by workers; seq_cst with crew_
  std::atomic<std::uint32_t> crew_{
      0};  // seq_cst with inbox_: either the pusher sees the sleeper, or that one the op
  std::atomic<std::size_t> queued_{0};  // size of queue_, for looking without the lock
  std::atomic<bool> stopping_{false};
  std::mutex queue_mutex_;  // guards queue_; never nests
  ReadyQueue queue_;
  std::mutex sleep_mutex_;  // guards calls_; never nests
  std::condition_variable sleep_;
  int calls_ = 0;  // wake-ups not yet taken up
  std::vector<std::thread> workers_;
};

}  // namespace runahead::engine
