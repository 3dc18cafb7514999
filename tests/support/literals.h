// Defines literals for times in tests: 1_ns, 20_us, 3_ms and 1_s are Durations. at(20_us) is the Timestamp 20
// us after the start.
#pragma once

#include "instrumentation/base/time.h"

namespace runahead::testing {

constexpr Duration operator""_ns(unsigned long long n) { return Duration{static_cast<std::int64_t>(n)}; }
constexpr Duration operator""_us(unsigned long long n) {
  return Duration{static_cast<std::int64_t>(n) * 1'000};
}
constexpr Duration operator""_ms(unsigned long long n) {
  return Duration{static_cast<std::int64_t>(n) * 1'000'000};
}
constexpr Duration operator""_s(unsigned long long n) {
  return Duration{static_cast<std::int64_t>(n) * 1'000'000'000};
}

[[nodiscard]] constexpr Timestamp at(Duration since_start) { return Timestamp{since_start}; }
[[nodiscard]] constexpr TimeRange range(Duration begin, Duration end) { return {at(begin), at(end)}; }

}  // namespace runahead::testing
