// DeviceClock: the clock of a virtual device. It is the real clock, or in tests a clock that the test
// advances.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <set>

#include "instrumentation/base/mutex.h"
#include "instrumentation/base/time.h"

namespace runahead::engine {

// An Alarm interrupts the sleep of one thread. If it rings while no thread sleeps, the next sleep ends
// immediately.
struct Alarm {
  Mutex mutex;  // with a real clock: guards `rung`; a ManualClock uses its own mutex instead; never nests
  std::condition_variable changed;
  bool rung = false;
};

class DeviceClock {
 public:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  virtual ~DeviceClock() = default;
  [[nodiscard]] virtual std::uint64_t now_ticks() const = 0;
  [[nodiscard]] virtual std::uint64_t ticks_from(Duration duration) const = 0;
  // Returns when now_ticks() >= ticks, or when `alarm` has rung. Resets the alarm.
  virtual void sleep_until(std::uint64_t ticks, Alarm& alarm) = 0;
  // Interrupts the thread that sleeps with this `alarm`. Any thread.
  virtual void ring(Alarm& alarm) = 0;
};

// Returns a clock that reads the process's TickClock. Its sleep_until() sleeps, then spins for the last
// microseconds. sleep_until() ends exactly on time if the thread has called make_this_thread_prompt().
[[nodiscard]] std::shared_ptr<DeviceClock> make_real_clock();

// A clock that changes only when advance() is called. One tick is a nanosecond. Any thread.
class ManualClock final : public DeviceClock {
 public:
  explicit ManualClock(std::uint64_t start_ticks = 1'000'000) : now_(start_ticks) {}
  std::uint64_t now_ticks() const override;
  std::uint64_t ticks_from(Duration duration) const override {
    return static_cast<std::uint64_t>(duration.count());
  }
  void sleep_until(std::uint64_t ticks, Alarm& alarm) override;
  void ring(Alarm& alarm) override;

  void advance(Duration duration);
  // Blocks until `count` threads sleep on this clock for a future time (each device has one such thread, see
  // TimerQueue). Returns the earliest of the times that they wait for.
  std::uint64_t wait_for_sleepers(std::size_t count);
  // Blocks until a thread sleeps, then advances to the earliest time that a thread waits for.
  void advance_to_next();

 private:
  mutable Mutex mutex_;  // never nests
  std::condition_variable changed_;
  std::uint64_t now_ RUNAHEAD_GUARDED_BY(mutex_);
  std::multiset<std::uint64_t> sleepers_ RUNAHEAD_GUARDED_BY(mutex_);  // wake-up time of each sleeping thread
};

}  // namespace runahead::engine
