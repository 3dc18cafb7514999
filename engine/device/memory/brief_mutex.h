// BriefMutex: a mutex for sections of some ten nanoseconds that two threads enter all the time. Who finds it
// held spins as long as such a section lasts, many times over, before it sleeps; to put a thread to sleep and
// wake it costs a hundred such sections. Meets Lockable. (The states: Drepper, "Futexes are tricky",
// mutex 3.)
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
    if (try_lock()) return;  // without a look first: that would fetch the line once to read and once to write
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
  static constexpr int kSpins = 100;  // some 3 us
  std::atomic<std::uint32_t> state_{kFree};
};

}  // namespace runahead::engine
