// The time type of all code above the clock: int64 nanoseconds since the start of the capture.
// Raw clock ticks exist only in record/ (base/tick_clock.h converts them).
#pragma once

#include <chrono>
#include <cstdint>

namespace runahead {

// ns since the start of the capture. Every other clock is converted before it reaches a Trace.
struct TraceClock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<TraceClock>;
  static constexpr bool is_steady = true;
};

using Timestamp = TraceClock::time_point;  // a - b is a Duration; a + b does not compile
using Duration = TraceClock::duration;

[[nodiscard]] constexpr Timestamp timestamp_from_ns(std::int64_t ns) { return Timestamp{Duration{ns}}; }
[[nodiscard]] constexpr std::int64_t ns_from(Timestamp t) { return t.time_since_epoch().count(); }
[[nodiscard]] constexpr std::int64_t ns_from(Duration d) { return d.count(); }

// The time of CLOCK_MONOTONIC, which all processes of a machine share.
[[nodiscard]] inline std::int64_t monotonic_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

// Half-open [begin, end). Empty when end <= begin.
struct TimeRange {
  Timestamp begin{};
  Timestamp end{};

  [[nodiscard]] constexpr Duration duration() const { return end - begin; }
  [[nodiscard]] constexpr bool empty() const { return end <= begin; }
  [[nodiscard]] constexpr bool contains(Timestamp t) const { return begin <= t && t < end; }
  [[nodiscard]] constexpr bool overlaps(TimeRange other) const {
    return begin < other.end && other.begin < end;
  }
  friend constexpr bool operator==(const TimeRange&, const TimeRange&) = default;
};

}  // namespace runahead
