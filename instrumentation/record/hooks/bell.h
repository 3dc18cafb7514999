// Bell: one thread sleeps on a Bell, and other threads wake that thread. ring() never waits, so threads that
// must not block can call it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>

#include "instrumentation/base/time.h"

namespace runahead::record {

class Bell {
 public:
  // Wakes the sleeper. If the sleeper is awake, its next sleep() returns immediately. ring() never waits. If
  // another thread has the lock, the ring may have no effect. Therefore the caller must ring again as long as
  // the reason for the ring exists.
  void ring() noexcept {
    // This store and the load of asleep_ are seq_cst: either this thread sees that the sleeper is asleep, or
    // the sleeper sees this store.
    rung_.store(true);
    if (!asleep_.load() || !mutex.try_lock()) return;
    mutex.unlock();
    changed.notify_all();
  }
  // Forgets the rings so far. Call answer() before you handle the reason of a ring: a ring that comes while
  // you handle the reason then ends the next sleep().
  void answer() noexcept { rung_.store(false); }

  // Sleeps until a thread has rung since the last answer(), until awake() returns true, or until `time` has
  // passed. awake() is called under the mutex.
  template <typename Awake>
  void sleep(std::unique_lock<std::mutex>& lock, Duration time, Awake awake) {
    asleep_.store(true);
    changed.wait_for(lock, time, [&] { return rung_.load() || awake(); });
    asleep_.store(false);
  }

  // Guards everything that awake() reads. Change it under the mutex, then notify `changed`.
  std::mutex mutex;
  std::condition_variable changed;

 private:
  // rung_: stored by ringing threads (true) and by the sleeper (false), read by the sleeper.
  // asleep_: stored by the sleeper, read by ringing threads. All accesses are seq_cst.
  std::atomic<bool> rung_{false}, asleep_{false};
};

}  // namespace runahead::record
