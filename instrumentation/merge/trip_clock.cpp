#include "instrumentation/merge/trip_clock.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "instrumentation/base/time.h"
#include "instrumentation/base/wrapping.h"

namespace runahead::merge {
namespace {

constexpr std::size_t kOurs = 0;

// The time of the reading in a recording with this clock.
std::optional<std::int64_t> time_of(const link::ClockReading& reading, const ClockFacts& clock) {
  constexpr double kMostNs = 1e18;  // 30 years; align_clocks() adds such times without an overflow
  double ns = 0;
  if (clock.origin_tsc && reading.tsc != 0) {
    const auto ticks = static_cast<std::int64_t>(reading.tsc - *clock.origin_tsc);
    ns = static_cast<double>(ticks) * 1e9 / clock.tsc_per_s;
  } else if (clock.origin_monotonic) {
    ns = static_cast<double>(wrapping_difference(reading.monotonic_ns, *clock.origin_monotonic));
  } else {
    return std::nullopt;
  }
  if (!(std::abs(ns) < kMostNs)) return std::nullopt;
  return std::llround(ns);
}

void add_messages(const LinkedProcess& process, const ClockFacts& ours, std::size_t number,
                  std::vector<Message>& messages) {
  for (const link::RoundTrip& trip : process.trips) {
    const auto asked = time_of(trip.asked, ours), answered = time_of(trip.answered, ours);
    const auto theirs = time_of(trip.theirs, process.clock);
    if (!asked || !theirs || !answered) continue;
    messages.push_back({kOurs, number, *asked, *theirs});
    messages.push_back({number, kOurs, *theirs, *answered});
  }
}

}  // namespace

std::optional<AlignedClock> clock_from_trips(const LinkedProcess& of, const LinkedProcess& reference) {
  ClockFacts ours;  // if neither process runs here, our CLOCK_MONOTONIC
  ours.origin_monotonic = 0;
  if (of.trips.empty()) ours = of.clock;
  if (reference.trips.empty()) ours = reference.clock;
  const std::size_t reference_number = reference.trips.empty() ? kOurs : 1;
  const std::size_t number = of.trips.empty() ? kOurs : reference_number + 1;
  if (number == reference_number) return std::nullopt;
  std::vector<Message> messages;
  add_messages(of, ours, number, messages);
  add_messages(reference, ours, reference_number, messages);
  return align_clocks(std::max(number, reference_number) + 1, reference_number, messages)[number];
}

std::optional<std::int64_t> time_now(const LinkedProcess& process) {
  if (process.trips.empty()) return time_of(link::read_clocks(), process.clock);
  const link::RoundTrip& last = process.trips.back();
  const auto then = time_of(last.theirs, process.clock);
  if (!then) return std::nullopt;
  return wrapping_sum(*then, wrapping_difference(monotonic_ns(), last.asked.monotonic_ns));
}

std::int64_t SteeredClock::to_reference(std::int64_t ns) const {
  auto part = parts_.rbegin();
  while (ns < part->from_ns) ++part;  // most times are late
  return part->map.to_reference(ns);
}

void SteeredClock::steer(std::int64_t from_ns, const ClockMap& map) {
  constexpr std::int64_t kShortestNs = 1'000'000'000;
  constexpr std::int64_t kLongestNs = std::int64_t{1} << 52;  // 50 days; exact as a double
  const std::int64_t here = to_reference(from_ns);
  const double away_ns = static_cast<double>(wrapping_difference(map.to_reference(from_ns), here));
  // The rate changes by at most a quarter, so the clock never goes back.
  const double length = std::clamp(4 * std::abs(away_ns), double{kShortestNs}, double{kLongestNs});
  const auto length_ns = static_cast<std::int64_t>(length);
  const std::int64_t end_ns = from_ns + length_ns;
  const std::int64_t gained_ns =
      wrapping_difference(wrapping_difference(map.to_reference(end_ns), here), length_ns);
  while (parts_.size() > 1 && parts_.back().from_ns >= from_ns) parts_.pop_back();
  parts_.push_back({from_ns,
                    {.base_ns = from_ns,
                     .offset_ns = wrapping_difference(here, from_ns),
                     .drift = static_cast<double>(gained_ns) / static_cast<double>(length_ns)}});
  parts_.push_back({end_ns, map});
}

}  // namespace runahead::merge
