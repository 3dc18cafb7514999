#include "instrumentation/link/round_trip.h"

#include <array>
#include <charconv>
#include <cstddef>
#include <optional>

#include "instrumentation/base/tick_clock.h"
#include "instrumentation/base/time.h"
#include "instrumentation/link/frames.h"

namespace runahead::link {
namespace {

constexpr std::size_t kNumbers = 6;

std::optional<RoundTrip> trip_in(const std::string& line) {
  const std::vector<std::string> fields = split_fields(line, '\t');
  if (fields.size() != kNumbers) return std::nullopt;
  std::array<std::uint64_t, kNumbers> numbers{};
  for (std::size_t i = 0; i < kNumbers; ++i) {
    const char* const end = fields[i].data() + fields[i].size();
    const auto [at, error] = std::from_chars(fields[i].data(), end, numbers[i]);
    constexpr std::uint64_t kMost = std::uint64_t{1} << 62;  // no clock is so late, and no sum overflows
    if (error != std::errc() || at != end || numbers[i] >= kMost) return std::nullopt;
  }
  const auto reading = [&numbers](std::size_t i) {
    return ClockReading{static_cast<std::int64_t>(numbers[i]), numbers[i + 1]};
  };
  return RoundTrip{reading(0), reading(2), reading(4)};
}

}  // namespace

ClockReading read_clocks() {
  const TickClock& clock = TickClock::get();
  return {monotonic_ns(), clock.is_tsc() ? clock.now() : 0};
}

std::string text_of_trips(std::span<const RoundTrip> trips) {
  std::string text;
  for (const RoundTrip& trip : trips) {
    for (const ClockReading& reading : {trip.asked, trip.theirs, trip.answered})
      text += std::to_string(reading.monotonic_ns) + "\t" + std::to_string(reading.tsc) + "\t";
    text.back() = '\n';
  }
  return text;
}

std::vector<RoundTrip> trips_in(const std::string& text) {
  std::vector<RoundTrip> trips;
  for (const std::string& line : split_fields(text, '\n')) {
    if (const std::optional<RoundTrip> trip = trip_in(line)) trips.push_back(*trip);
  }
  return trips;
}

}  // namespace runahead::link
