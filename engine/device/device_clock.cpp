#include "engine/device/device_clock.h"

#include <chrono>
#include <thread>

#include "instrumentation/base/tick_clock.h"

namespace runahead::engine {
namespace {

// A thread spins for the last part of a wait, because on a busy machine a sleep ends tens of microseconds
// late. A longer spin would occupy a core, and a classroom machine has only two cores.
constexpr std::int64_t kClockSpinNs = 20'000;

class RealClock final : public DeviceClock {
 public:
  std::uint64_t now_ticks() const override { return clock_.now(); }
  std::uint64_t ticks_from(Duration duration) const override {
    return static_cast<std::uint64_t>(static_cast<double>(duration.count()) * clock_.ticks_per_ns());
  }
  void sleep_until(std::uint64_t ticks, Alarm& alarm) override;
  void ring(Alarm& alarm) override {
    const MutexLock lock(alarm.mutex);
    alarm.rung = true;
    alarm.changed.notify_one();
  }

 private:
  const TickClock& clock_ = TickClock::get();
};

void RealClock::sleep_until(std::uint64_t ticks, Alarm& alarm) {
  static const std::int64_t kSpin = std::thread::hardware_concurrency() > 1 ? kClockSpinNs : 0;
  MutexLock lock(alarm.mutex);
  while (!alarm.rung) {
    if (ticks == kNever) {
      alarm.changed.wait(lock.native());
      continue;
    }
    const std::uint64_t now = clock_.now();
    if (now >= ticks) break;
    const auto left_ns = static_cast<std::int64_t>(static_cast<double>(ticks - now) / clock_.ticks_per_ns());
    if (left_ns > kSpin) {
      alarm.changed.wait_for(lock.native(), std::chrono::nanoseconds(left_ns - kSpin));
    } else {  // spins; each turn unlocks the mutex for a moment, so that ring() can lock it
      lock.unlock();
      lock.lock();
    }
  }
  alarm.rung = false;
}

}  // namespace

std::shared_ptr<DeviceClock> make_real_clock() { return std::make_shared<RealClock>(); }

std::uint64_t ManualClock::now_ticks() const {
  const MutexLock lock(mutex_);
  return now_;
}

void ManualClock::sleep_until(std::uint64_t ticks, Alarm& alarm) {
  MutexLock lock(mutex_);
  const auto sleeper = sleepers_.insert(ticks);
  changed_.notify_all();
  changed_.wait(lock.native(), [&]() RUNAHEAD_REQUIRES(mutex_) { return now_ >= ticks || alarm.rung; });
  sleepers_.erase(sleeper);
  alarm.rung = false;
}

void ManualClock::ring(Alarm& alarm) {
  const MutexLock lock(mutex_);
  alarm.rung = true;
  changed_.notify_all();
}

void ManualClock::advance(Duration duration) {
  const MutexLock lock(mutex_);
  now_ += ticks_from(duration);
  changed_.notify_all();
}

std::uint64_t ManualClock::wait_for_sleepers(std::size_t count) {
  MutexLock lock(mutex_);
  const auto asleep = [this]() RUNAHEAD_REQUIRES(mutex_) {
    return static_cast<std::size_t>(
        std::distance(sleepers_.upper_bound(now_), sleepers_.lower_bound(kNever)));
  };
  changed_.wait(lock.native(), [&]() RUNAHEAD_REQUIRES(mutex_) { return asleep() >= count; });
  return *sleepers_.upper_bound(now_);
}

void ManualClock::advance_to_next() {
  const std::uint64_t next = wait_for_sleepers(1);
  const MutexLock lock(mutex_);
  if (next > now_) now_ = next;
  changed_.notify_all();
}

}  // namespace runahead::engine
