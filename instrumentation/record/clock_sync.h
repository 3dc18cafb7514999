// From raw ticks to the trace's time, and how far that time has drifted from the system's clock.
#pragma once

#include <cstdint>

#include "instrumentation/base/tick_clock.h"
#include "instrumentation/base/time.h"

namespace runahead::record {

// Converts ticks to ns since the recorder's first start: TickClock's linear conversion less that origin, so
// it is monotonic, and agrees with everyone else who converts by TickClock.
class SessionClock {
 public:
  SessionClock() = default;
  explicit SessionClock(std::uint64_t origin_ticks) : origin_ns_(clock_->ns_from_ticks(origin_ticks)) {}

  // Moments before the start (a caller's clock was read just before it) become the start.
  [[nodiscard]] Timestamp at(std::uint64_t ticks) const { return at_ns(clock_->ns_from_ticks(ticks)); }
  // Of a time that is TickClock's ns already.
  [[nodiscard]] Timestamp at_ns(std::int64_t clock_ns) const {
    return timestamp_from_ns(clock_ns < origin_ns_ ? 0 : clock_ns - origin_ns_);
  }
  [[nodiscard]] std::int64_t origin_ns() const { return origin_ns_; }
  [[nodiscard]] Timestamp now() const { return at(clock_->now()); }

 private:
  const TickClock* clock_ = &TickClock::get();
  std::int64_t origin_ns_ = 0;
};

// Compares TickClock with CLOCK_MONOTONIC now and then. The drift is shown, not corrected: durations of one
// capture are measured with one rate throughout, and rows handed over never move.
class ClockDrift {
 public:
  // Measures if a second has passed since the last time. `now`: any steady ns.
  void update(std::int64_t now_ns);
  // TickClock's time less the system's since its calibration; 0 where TickClock is the system's clock.
  [[nodiscard]] Duration drift() const { return drift_; }

 private:
  std::int64_t last_ns_ = INT64_MIN;
  Duration drift_{};
};

}  // namespace runahead::record
