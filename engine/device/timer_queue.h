// TimerQueue: calls functions at given times of a device's clock, on its own thread.
//
// Roles.
//   any thread     at(), timer(), hold(), release(), hurry()
//   queue's thread serve(): makes the calls, with no lock held
// Invariants.
// - Calls are made in the order of their times. Calls for the same time are made in the order in which at(),
//   timer() and hold() added them.
// - If an entry is still held when its time comes, it delays all later entries until release().
// - All state is guarded by mutex_. A thread that changes the earliest entry rings alarm_ after it has
// unlocked mutex_.
#pragma once

#include <cstdint>
#include <map>
#include <thread>

#include "engine/device/device_clock.h"
#include "instrumentation/base/mutex.h"
#include "instrumentation/base/unique_function.h"

namespace runahead::engine {

class TimerQueue {
  struct Entry {
    UniqueFunction<void()> call;
    bool held;
    bool timer;
  };
  using Entries = std::multimap<std::uint64_t, Entry>;

 public:
  using Slot = Entries::iterator;

  explicit TimerQueue(DeviceClock& clock);
  ~TimerQueue();  // waits for the running call; drops all other entries

  // Calls `call` at `ticks`, or immediately if `ticks` has passed.
  void at(std::uint64_t ticks, UniqueFunction<void()> call) { put(ticks, {std::move(call), false, false}); }
  // Works like at(), but hurry() does not change the time of the call. Use it for a call that only checks
  // something at that time.
  void timer(std::uint64_t ticks, UniqueFunction<void()> call) { put(ticks, {std::move(call), false, true}); }
  // Works like at(), but the call is not made before release(), which must be called once.
  [[nodiscard]] Slot hold(std::uint64_t ticks, UniqueFunction<void()> call) {
    return put(ticks, {std::move(call), true, false});
  }
  void release(Slot slot);
  // After this call, all entries except those of timer() are due immediately, in the same order.
  void hurry();

 private:
  Slot put(std::uint64_t ticks, Entry entry);
  [[nodiscard]] bool is_next_locked(Slot slot) RUNAHEAD_REQUIRES(mutex_);
  [[nodiscard]] Slot next_hurried_locked() RUNAHEAD_REQUIRES(mutex_);
  void serve();
  // Removes the entry that is due at `now` and puts it into `due`. If no entry is due, `due` stays empty and
  // `sleep_until` is the time of the next call. False: the queue is stopping.
  bool take_due(std::uint64_t now, Entries::node_type& due, std::uint64_t& sleep_until);

  DeviceClock& clock_;
  Alarm alarm_;  // rung when the earliest entry has changed
  Mutex mutex_;  // never nests
  Entries entries_ RUNAHEAD_GUARDED_BY(mutex_);
  bool stopping_ RUNAHEAD_GUARDED_BY(mutex_) = false;
  bool hurrying_ RUNAHEAD_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // declared last: the thread uses all members above
};

}  // namespace runahead::engine
