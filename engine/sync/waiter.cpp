#include "engine/sync/waiter.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <thread>

#include "instrumentation/base/tick_clock.h"

namespace runahead::engine {
namespace {

unsigned usable_processors() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
    return static_cast<unsigned>(CPU_COUNT(&allowed));
  }
  return std::thread::hardware_concurrency();
}

std::uint32_t* address_of(std::atomic<std::uint32_t>& state) {
  static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));
  return reinterpret_cast<std::uint32_t*>(&state);
}

}  // namespace

Duration usable_spin(Duration wanted) { return usable_processors() > 1 ? wanted : Duration::zero(); }

void Waiter::signal(OpId by, FailurePtr failure) {
  by_ = by;
  failure_ = std::move(failure);
  std::uint32_t* const address = address_of(state_);
  const std::uint32_t before = state_.exchange(kSignalled, std::memory_order_acq_rel);
  if (before == kAbandoned) delete this;
  if (before != kParked) return;
  // The Waiter may no longer exist, and another thread may already wait on a new Waiter at the same address.
  // That thread gets a spurious wake-up, which does no harm: after every futex wait, the thread checks its
  // state again.
  syscall(SYS_futex, address, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

bool Waiter::wait(WaitMode mode) {
  const TickClock& clock = TickClock::get();
  static thread_local SpinPolicy spin;
  const auto most = static_cast<std::uint64_t>(static_cast<double>(mode.spin.count()) * clock.ticks_per_ns());
  const std::uint64_t budget = mode.help != nullptr ? most : spin.next(most);
  std::uint64_t begin = clock.now();
  const auto ask_every = static_cast<std::uint64_t>(static_cast<double>(WaitInterrupt::kAskEvery.count()) *
                                                    clock.ticks_per_ns());
  std::uint64_t asked = begin;
  while (!signalled()) {
    if (mode.help != nullptr && mode.help->help()) {
      begin = clock.now();
      if (mode.interrupt == nullptr || begin - asked < ask_every) continue;
      asked = begin;
      if (mode.interrupt->interrupted()) return signalled();
    } else if (clock.now() - begin >= budget) {
      break;
    } else {
      spin_pause();
    }
  }
  if (mode.help == nullptr) spin.note(budget, signalled());
  // This check only reads. If the signal has come, the check avoids the exchange below, which would fetch the
  // cache line again.
  if (signalled()) return true;
  std::uint32_t expected = kWaiting;
  // The exchange fails if the Waiter was signalled in the meantime: then the wait is over. It also fails if
  // an earlier wait() of this Waiter was interrupted: then the state is kParked already.
  if (!state_.compare_exchange_strong(expected, kParked, std::memory_order_acq_rel) && expected != kParked)
    return true;
  constexpr timespec kAsk{.tv_sec = 0, .tv_nsec = WaitInterrupt::kAskEvery.count()};
  const timespec* const timeout = mode.interrupt != nullptr ? &kAsk : nullptr;
  while (!signalled()) {
    syscall(SYS_futex, address_of(state_), FUTEX_WAIT_PRIVATE, kParked, timeout, nullptr, 0);
    if (mode.interrupt != nullptr && !signalled() && mode.interrupt->interrupted()) return signalled();
  }
  return true;
}

bool Waiter::abandon() {
  std::uint32_t state = state_.load(std::memory_order_acquire);
  while (state != kSignalled) {
    if (state_.compare_exchange_weak(state, kAbandoned, std::memory_order_acq_rel)) return true;
  }
  return false;
}

}  // namespace runahead::engine
