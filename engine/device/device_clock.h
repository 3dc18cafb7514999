// DeviceClock: the time by which a virtual device lives. Real, or advanced by hand in tests.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <set>

#include "instrumentation/base/mutex.h"
#include "instrumentation/base/time.h"

namespace runahead::engine {

// Cuts one thread's sleep short. A ring that nobody sleeps on cuts the next sleep.
struct Alarm {
  Mutex mutex;  // guards rung on a real clock; a manual one has its own; never nests
  std::condition_variable changed;
  bool rung = false;
};

class DeviceClock {
 public:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  virtual ~DeviceClock() = default;
  [[nodiscard]] virtual std::uint64_t now_ticks() const = 0;
  [[nodiscard]] virtual std::uint64_t ticks_from(Duration duration) const = 0;
  // Returns when now_ticks() >= ticks, or when `alarm` has rung, which uses the ring up.
  virtual void sleep_until(std::uint64_t ticks, Alarm& alarm) = 0;
  // Any thread.
  virtual void ring(Alarm& alarm) = 0;
};

// The process's TickClock. Sleeps, then spins for the last few microseconds; to the point on a thread that is
// prompt (make_this_thread_prompt).
[[nodiscard]] std::shared_ptr<DeviceClock> make_real_clock();

// Stands still until advanced; a tick is a nanosecond. Any thread.
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
  // Blocks until `count` threads sleep on this clock for a time to come (one a device: see Agenda); the
  // earliest time that one of them waits for.
  std::uint64_t wait_for_sleepers(std::size_t count);
  // Blocks until a thread sleeps, and advances to the earliest time that one waits for.
  void advance_to_next();

 private:
  mutable Mutex mutex_;  // never nests
  std::condition_variable changed_;
  std::uint64_t now_ RUNAHEAD_GUARDED_BY(mutex_);
  std::multiset<std::uint64_t> sleepers_ RUNAHEAD_GUARDED_BY(mutex_);  // times that threads sleep for
};

}  // namespace runahead::engine
