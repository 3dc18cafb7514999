// Waiter: one thread waits for one signal, and learns which op gave it. Lives on the waiting thread's stack.
//   waiting thread     wait(), then released_by(), failure()
//   signalling thread  signal(), once
// Invariant: after signal() has set the state the Waiter may be gone. From then on signal() uses only the
// address of the state, to wake a thread that sleeps there.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "engine/sync/failures.h"
#include "instrumentation/base/ids.h"
#include "instrumentation/base/spin_pause.h"
#include "instrumentation/base/time.h"

namespace runahead::engine {

// How long a thread may spin on this machine before it parks. Returns `wanted` if the process may use another
// core for the thread that it waits for, zero if the two would share one core.
[[nodiscard]] Duration usable_spin(Duration wanted);

// SpinPolicy: how long a thread spins, learned from its last spins. A thread that spins on a busy machine may
// keep the thread that it waits for from running. Not thread-safe: one per thread.
class SpinPolicy {
 public:
  // The length of the next spin, at most `most`. 0: park at once.
  [[nodiscard]] std::uint64_t next(std::uint64_t most) {
    if (share_ > 0) return most / kWhole * static_cast<std::uint64_t>(share_);
    return ++parked_ % kTryAgain == 0 ? most / 2 : 0;
  }
  // Reports the end of a spin of length `spun`. found: the condition was met before its end.
  void note(std::uint64_t spun, bool found) {
    if (spun == 0) return;
    // After a successful try: the other side may have parked because nobody spun.
    const int more = share_ == 0 ? kWhole / 2 : 2 * share_;
    share_ = found ? (more > kWhole ? kWhole : more) : share_ / 2;
  }

 private:
  static constexpr int kWhole = 8, kTryAgain = 16;
  int share_ = kWhole;  // share of `most` to spin, in eighths
  int parked_ = 0;      // number of spins skipped so far
};

// Work that a waiting frontend can do.
class WaitHelp {
 public:
  // Does some of the work that is waited for. False: there is none now.
  virtual bool help() = 0;

 protected:
  ~WaitHelp() = default;
};
struct WaitMode {
  Duration spin{};
  WaitHelp* help = nullptr;  // null: the frontend only waits
};

class alignas(64) Waiter {
 public:
  Waiter() = default;
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  void signal(OpId by, FailurePtr failure = nullptr);
  // Waits for signal(). With mode.help it works while there is work. Without work it spins, at most
  // mode.spin, and less if spinning did not help of late. Then it parks.
  void wait(WaitMode mode);
  [[nodiscard]] bool signalled() const { return state_.load(std::memory_order_acquire) == kSignalled; }

  // After wait():
  [[nodiscard]] OpId released_by() const { return by_; }
  // failure of the op that was waited for
  [[nodiscard]] const FailurePtr& failure() const { return failure_; }

 private:
  enum State : std::uint32_t { kWaiting, kParked, kSignalled };

  // kWaiting -> kParked by the waiter. -> kSignalled by the signaller (release, pairs with the acquire in
  // signalled()).
  std::atomic<std::uint32_t> state_{kWaiting};
  OpId by_ = kNoOp;  // written by the signaller before kSignalled, read by the waiter after it
  FailurePtr failure_;
};

}  // namespace runahead::engine
