// DeviceClock: the time by which a virtual device lives. Real, or advanced by hand in tests.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>

#include "instrumentation/base/time.h"

namespace runahead::engine {

class DeviceClock {
 public:
  virtual ~DeviceClock() = default;
  [[nodiscard]] virtual std::uint64_t now_ticks() const = 0;
  [[nodiscard]] virtual std::uint64_t ticks_from(Duration duration) const = 0;
  virtual void sleep_until(std::uint64_t ticks) = 0;
};

// The process's TickClock. Sleeps, then spins for the last few microseconds.
[[nodiscard]] std::shared_ptr<DeviceClock> make_real_clock();

// Stands still until advanced; a tick is a nanosecond. Any thread.
class ManualClock final : public DeviceClock {
 public:
  explicit ManualClock(std::uint64_t start_ticks = 1'000'000) : now_(start_ticks) {}
  std::uint64_t now_ticks() const override;
  std::uint64_t ticks_from(Duration duration) const override {
    return static_cast<std::uint64_t>(duration.count());
  }
  void sleep_until(std::uint64_t ticks) override;

  void advance(Duration duration);
  // Blocks until `count` threads sleep on this clock; the earliest time that one of them waits for.
  std::uint64_t wait_for_sleepers(std::size_t count);
  // Blocks until a thread sleeps, and advances to the earliest time that one waits for.
  void advance_to_next();

 private:
  mutable std::mutex mutex_;  // guards everything below; never nests
  std::condition_variable changed_;
  std::uint64_t now_;
  std::multiset<std::uint64_t> sleepers_;  // times that threads sleep for
};

}  // namespace runahead::engine
