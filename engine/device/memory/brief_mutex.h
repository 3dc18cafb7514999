// BriefMutex: a mutex for critical sections of about ten nanoseconds that two threads enter very often. If
// another thread holds the mutex, lock() first spins for much longer than a critical section takes, and only
// then sleeps. The reason: to put a thread to sleep and to wake it costs as much as a hundred critical
// sections. BriefMutex meets the C++ requirements of Lockable. Its three states are those of "mutex 3" in
// Drepper, "Futexes are tricky". Memory order: the acquire in try_lock() and lock() pairs with the release in
// unlock().
#pragma once

#include <atomic>
#include <cstdint>

#include "instrumentation/base/spin_pause.h"

namespace runahead::engine {

class BriefMutex {
 public:
  BriefMutex() = default;
  BriefMutex(const BriefMutex&) = delete;
  BriefMutex& operator=(const BriefMutex&) = delete;

  [[nodiscard]] bool try_lock() {
    std::uint32_t free = kFree;
    return state_.compare_exchange_strong(free, kHeld, std::memory_order_acquire, std::memory_order_relaxed);
  }
  void lock() {
    // lock() tries the exchange without reading the state first. A read would fetch the cache line twice:
    // once for the read and once for the exchange.
    if (try_lock()) return;
    for (int i = 0; i < kSpins; ++i) {
      if (state_.load(std::memory_order_relaxed) == kFree && try_lock()) return;
      spin_pause();
    }
    while (state_.exchange(kHeldAndWaitedFor, std::memory_order_acquire) != kFree) {
      state_.wait(kHeldAndWaitedFor, std::memory_order_relaxed);
    }
  }
  void unlock() {
    if (state_.exchange(kFree, std::memory_order_release) == kHeldAndWaitedFor) state_.notify_one();
  }

 private:
  enum State : std::uint32_t { kFree, kHeld, kHeldAndWaitedFor };
  static constexpr int kSpins = 100;         // about 3 us
  std::atomic<std::uint32_t> state_{kFree};  // written by the threads that lock and unlock
};

}  // namespace runahead::engine
