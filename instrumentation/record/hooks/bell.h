// Bell: what one thread sleeps on, and others wake it by; among them threads that may not wait for anything
// (ring()).
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>

#include "instrumentation/base/time.h"

namespace runahead::record {

class Bell {
 public:
  // The sleeper wakes; if it is awake, it does not sleep next time. Never waits: where the lock is taken a
  // ring may come to nothing, so the caller rings again while its reason holds.
  void ring() noexcept {
    rung_.store(true);  // seq_cst, as asleep_: of the two threads at least one sees the other's store
    if (!asleep_.load() || !mutex.try_lock()) return;
    mutex.unlock();
    changed.notify_all();
  }
  // What rang until now is being seen to.
  void answer() noexcept { rung_.store(false); }

  // For at most `time`, until a ring since answer(), or until awake() holds, which is asked under the mutex.
  template <typename Awake>
  void sleep(std::unique_lock<std::mutex>& lock, Duration time, Awake awake) {
    asleep_.store(true);
    changed.wait_for(lock, time, [&] { return rung_.load() || awake(); });
    asleep_.store(false);
  }

  // For what else the sleeper waits for: changed under the mutex, then told by `changed`.
  std::mutex mutex;
  std::condition_variable changed;

 private:
  std::atomic<bool> rung_{false}, asleep_{false};
};

}  // namespace runahead::record
