// Converts raw ticks to the trace's time, and measures how far that time drifts from the system's clock.
#pragma once

#include <cstdint>

#include "instrumentation/base/tick_clock.h"
#include "instrumentation/base/time.h"

namespace runahead::record {

// Converts ticks to ns since the recorder's first start. It takes TickClock's linear conversion and subtracts
// the time of that start. Therefore SessionClock is monotonic, and agrees with all other code that converts
// by TickClock.
class SessionClock {
 public:
  SessionClock() = default;
  explicit SessionClock(std::uint64_t origin_ticks) : origin_ns_(clock_->ns_from_ticks(origin_ticks)) {}

  // A time before the start becomes the start (a caller may read its clock just before the start).
  [[nodiscard]] Timestamp at(std::uint64_t ticks) const { return at_ns(clock_->ns_from_ticks(ticks)); }
  // Converts a time that already is in TickClock's ns.
  [[nodiscard]] Timestamp at_ns(std::int64_t clock_ns) const {
    return timestamp_from_ns(clock_ns < origin_ns_ ? 0 : clock_ns - origin_ns_);
  }
  [[nodiscard]] std::int64_t origin_ns() const { return origin_ns_; }
  [[nodiscard]] Timestamp now() const { return at(clock_->now()); }

 private:
  const TickClock* clock_ = &TickClock::get();
  std::int64_t origin_ns_ = 0;
};

// Compares TickClock with CLOCK_MONOTONIC regularly. The drift is shown but not corrected. A correction would
// change the rate of the clock within a capture, and would move rows that were already handed over.
class ClockDrift {
 public:
  // Measures the drift, at most once per second. `now_ns`: the time of any steady clock; it serves only to
  // limit the rate of the measurements.
  void update(std::int64_t now_ns);
  // How far TickClock has moved ahead of CLOCK_MONOTONIC since TickClock's calibration. 0 if TickClock does
  // not read the TSC (the CPU's time stamp counter).
  [[nodiscard]] Duration drift() const { return drift_; }

 private:
  std::int64_t last_ns_ = INT64_MIN;
  Duration drift_{};
};

}  // namespace runahead::record
