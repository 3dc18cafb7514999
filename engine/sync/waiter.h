// Waiter: one thread's wait for one signal, with the op that gave it. Lives on the waiting thread's stack.
//   waiting thread  wait(), then released_by(), failure()        signalling thread  signal(), once
// Invariant: after signal() has set the state the waiter may be gone, and signal() touches nothing of it but
// the address of the state, to wake who sleeps there.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "engine/sync/failures.h"
#include "instrumentation/base/ids.h"
#include "instrumentation/base/spin_pause.h"
#include "instrumentation/base/time.h"

namespace runahead::engine {

// How long a thread may spin on this machine before it parks: `wanted` where this process may use another
// core for the thread it waits for, nothing where the two would share one.
[[nodiscard]] Duration usable_spin(Duration wanted);

// How long a thread spins, learned from how its last ones ended: where others want the cores, who spins keeps
// the very thread from running that it waits for. One thread's.
class SpinPolicy {
 public:
  // The next spin's length, of at most `most`; 0: park at once.
  [[nodiscard]] std::uint64_t next(std::uint64_t most) {
    if (share_ > 0) return most / kWhole * static_cast<std::uint64_t>(share_);
    return ++parked_ % kTryAgain == 0 ? most / 2 : 0;
  }
  // found: the spin of that length ended with what was waited for.
  void note(std::uint64_t spun, bool found) {
    if (spun == 0) return;
    // After a try that found it: the other side may have parked for want of one that spins.
    const int more = share_ == 0 ? kWhole / 2 : 2 * share_;
    share_ = found ? (more > kWhole ? kWhole : more) : share_ / 2;
  }

 private:
  static constexpr int kWhole = 8, kTryAgain = 16;
  int share_ = kWhole;  // of `most`, in eighths
  int parked_ = 0;      // times in a row, and more
};

// How a frontend waits.
class WaitHelp {
 public:
  // Does some of the work that is waited for; false: there is none now.
  virtual bool help() = 0;

 protected:
  ~WaitHelp() = default;
};
struct WaitMode {
  Duration spin{};
  WaitHelp* help = nullptr;  // null: waits only
};

class alignas(64) Waiter {
 public:
  Waiter() = default;
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  void signal(OpId by, FailurePtr failure = nullptr);
  // Helps while there is work, if that is the mode; spins for at most mode.spin without any, and less where
  // that has not paid; then parks.
  void wait(WaitMode mode);
  [[nodiscard]] bool signalled() const { return state_.load(std::memory_order_acquire) == kSignalled; }

  // After wait():
  [[nodiscard]] OpId released_by() const { return by_; }
  [[nodiscard]] const FailurePtr& failure() const { return failure_; }  // of the op waited for

 private:
  enum State : std::uint32_t { kWaiting, kParked, kSignalled };

  // kWaiting -> kParked by the waiter, -> kSignalled by the signaller (release, pairs with the acquire of who
  // sees it).
  std::atomic<std::uint32_t> state_{kWaiting};
  OpId by_ = kNoOp;
  FailurePtr failure_;
};

}  // namespace runahead::engine
