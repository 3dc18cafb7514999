// Agenda: calls functions at their times on a device's clock, on a thread of its own.
//   any thread  at(), hold(), release()      its thread  the calls, with no lock held
// Invariant: calls happen in the order of their times, and of at() or hold() among equal times. Who is held
// when its time comes keeps those after it waiting.
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
  ~TimerQueue();  // after the call that is running; drops what is left

  // At once, if `ticks` is past.
  void at(std::uint64_t ticks, UniqueFunction<void()> call) { put(ticks, {std::move(call), false, false}); }
  // The same, for who wants to look at something then: a hurry leaves it at its time.
  void timer(std::uint64_t ticks, UniqueFunction<void()> call) { put(ticks, {std::move(call), false, true}); }
  // The same, but not before release(), which is to be called once.
  [[nodiscard]] Slot hold(std::uint64_t ticks, UniqueFunction<void()> call) {
    return put(ticks, {std::move(call), true, false});
  }
  void release(Slot slot);
  // From now on calls but timers are due at once, in the same order.
  void hurry();

 private:
  Slot put(std::uint64_t ticks, Entry entry);
  [[nodiscard]] bool is_next_locked(Slot slot) RUNAHEAD_REQUIRES(mutex_);
  [[nodiscard]] Slot next_hurried_locked() RUNAHEAD_REQUIRES(mutex_);
  void serve();
  // What is due at `now`; empty: nothing, and `sleep_until` is when to look again. False: stopping.
  bool take_due(std::uint64_t now, Entries::node_type& due, std::uint64_t& sleep_until);

  DeviceClock& clock_;
  Alarm alarm_;  // rung when the earliest entry has changed
  Mutex mutex_;  // never nests
  Entries entries_ RUNAHEAD_GUARDED_BY(mutex_);
  bool stopping_ RUNAHEAD_GUARDED_BY(mutex_) = false;
  bool hurrying_ RUNAHEAD_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace runahead::engine
