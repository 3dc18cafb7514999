#include "engine/waiter.h"

#include <thread>

#include "instrumentation/base/tick_clock.h"

namespace runahead::engine {

Duration usable_spin(Duration wanted) {
  return std::thread::hardware_concurrency() > 1 ? wanted : Duration::zero();
}

void spin_pause() noexcept {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

void Waiter::signal(OpId by) {
  const std::lock_guard lock(mutex_);
  by_ = by;
  signalled_.store(true, std::memory_order_release);  // pairs with the acquire in wait()
  wake_.notify_one();                                 // under the lock: afterwards the waiter may be gone
}

void Waiter::wait(Duration spin) {
  if (spin > Duration::zero()) {
    const TickClock& clock = TickClock::get();
    const auto budget = static_cast<std::uint64_t>(static_cast<double>(spin.count()) * clock.ticks_per_ns());
    const std::uint64_t begin = clock.now();
    while (!signalled_.load(std::memory_order_acquire) && clock.now() - begin < budget) spin_pause();
  }
  std::unique_lock lock(mutex_);
  wake_.wait(lock, [this] { return signalled_.load(std::memory_order_relaxed); });  // mutex_ orders it
}

}  // namespace runahead::engine
