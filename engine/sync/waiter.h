// Waiter: one thread waits for one signal, and learns which op sent the signal. A Waiter lives on the waiting
// thread's stack. Exception: a Waiter that may be abandoned lives on the heap, see abandon().
//   waiting thread     wait(), then released_by(), failure(); or abandon(), if wait() was interrupted
//   signalling thread  signal(), once
// Invariant: after signal() has set the state, the Waiter may no longer exist. From then on signal() uses
// only the address of the state, to wake the thread that sleeps on this address.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "engine/sync/failures.h"
#include "instrumentation/base/ids.h"
#include "instrumentation/base/spin_pause.h"
#include "instrumentation/base/time.h"

namespace runahead::engine {

// Returns how long a thread may spin on this machine before it parks: `wanted` if the process may use at
// least two cores. Zero if it may use only one core: a spinning thread would then stop the thread for which
// it waits.
[[nodiscard]] Duration usable_spin(Duration wanted);

// SpinPolicy decides how long a thread spins (checks a condition in a loop) before it parks (sleeps). It
// learns from the thread's recent spins. On a busy machine, a spinning thread may take the core from the
// thread for which it waits. Not thread-safe: each thread has its own SpinPolicy.
class SpinPolicy {
 public:
  // Returns the length of the next spin, at most `most`. 0: park immediately.
  [[nodiscard]] std::uint64_t next(std::uint64_t most) {
    if (share_ > 0) return most / kWhole * static_cast<std::uint64_t>(share_);
    return ++parked_ % kTryAgain == 0 ? most / 2 : 0;
  }
  // Reports the end of a spin of length `spun`. found: the condition was met before the spin ended.
  void note(std::uint64_t spun, bool found) {
    if (spun == 0) return;
    // After a spin that met its condition, share_ doubles; after any other spin, share_ is halved. Exception:
    // if the condition was met and share_ is 0, share_ becomes half of kWhole immediately. Reason: if two
    // threads wait for each other in turn, each may have parked only because the other thread did not spin.
    const int more = share_ == 0 ? kWhole / 2 : 2 * share_;
    share_ = found ? (more > kWhole ? kWhole : more) : share_ / 2;
  }

 private:
  static constexpr int kWhole = 8, kTryAgain = 16;
  int share_ = kWhole;  // the part of `most` that the next spin may take, in eighths
  int parked_ = 0;      // number of calls of next() so far while share_ was 0
};

// Work that a waiting frontend can do.
class WaitHelp {
 public:
  // Does some of the work for which the frontend waits. False: there is no work now.
  virtual bool help() = 0;

 protected:
  ~WaitHelp() = default;
};
// Asks whether a wait should end before its signal, such as after Ctrl-C.
class WaitInterrupt {
 public:
  // How often a waiting thread asks. A signal of the operating system makes the thread ask at once, if the
  // thread sleeps. 50 ms: a person does not notice the delay, and 20 questions per second cost nothing.
  static constexpr Duration kAskEvery{50'000'000};
  // Called on the waiting thread. True: the wait ends. The thread may hold the mutex of a drain.
  virtual bool interrupted() = 0;

 protected:
  ~WaitInterrupt() = default;
};
struct WaitMode {
  Duration spin{};
  WaitHelp* help = nullptr;            // null: the frontend only waits
  WaitInterrupt* interrupt = nullptr;  // null: only the signal ends the wait
};

class alignas(64) Waiter {
 public:
  Waiter() = default;
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  void signal(OpId by, FailurePtr failure = nullptr);
  // Waits for signal(). With mode.help, the thread does work while there is work, spins for at most mode.spin
  // if there is none, then parks. Without mode.help, the thread spins for at most mode.spin, or for less time
  // if recent spins ended without a signal. Then it parks. False: mode.interrupt has ended the wait before
  // the signal. The signalling thread may still use the Waiter.
  bool wait(WaitMode mode);
  // Gives the Waiter to the signalling thread, which deletes it. False: the signal has come in the meantime,
  // so the Waiter still belongs to the caller. REQUIRES: wait() has returned false, and the Waiter was made
  // by new.
  [[nodiscard]] bool abandon();
  [[nodiscard]] bool signalled() const { return state_.load(std::memory_order_acquire) == kSignalled; }

  // After wait():
  [[nodiscard]] OpId released_by() const { return by_; }
  // the failure of the op for which the thread waited
  [[nodiscard]] const FailurePtr& failure() const { return failure_; }

 private:
  enum State : std::uint32_t { kWaiting, kParked, kSignalled, kAbandoned };

  // The waiting thread changes kWaiting to kParked, and may set kAbandoned unless the state is kSignalled.
  // The signalling thread sets kSignalled (release, pairs with the acquire in signalled()). If it replaces
  // kAbandoned, it deletes the Waiter.
  std::atomic<std::uint32_t> state_{kWaiting};
  OpId by_ = kNoOp;  // written by the signaller before kSignalled, read by the waiter after it
  FailurePtr failure_;
};

}  // namespace runahead::engine
