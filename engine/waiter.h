// Waiter: one thread's wait for one signal, with the op that gave it. Lives on the waiting thread's stack.
//   waiting thread  wait(), then released_by()        signalling thread  signal(), once
// Invariant: signal() touches nothing of the waiter after it has let go of mutex_, and wait() returns only
// after it has held mutex_ once, so the waiter may be destroyed as soon as wait() returned.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>

#include "instrumentation/base/ids.h"
#include "instrumentation/base/time.h"

namespace runahead::engine {

// How long a thread may spin on this machine before it parks: `wanted` where there is another core for the
// thread it waits for, nothing where the two would share one.
[[nodiscard]] Duration usable_spin(Duration wanted);
// Tells the core that this is a spin loop.
void spin_pause() noexcept;

class Waiter {
 public:
  Waiter() = default;
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  void signal(OpId by);
  // Spins for at most `spin`, then parks.
  void wait(Duration spin);
  [[nodiscard]] OpId released_by() const { return by_; }  // after wait()

 private:
  std::atomic<bool> signalled_{false};  // written by the signaller (release), read by the waiter (acquire)
  std::mutex mutex_;                    // guards by_ and the sleep
  std::condition_variable wake_;
  OpId by_ = kNoOp;
};

}  // namespace runahead::engine
