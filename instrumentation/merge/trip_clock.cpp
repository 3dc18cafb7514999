#include "instrumentation/merge/trip_clock.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>

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

double distance_ns(std::int64_t a, std::int64_t b) {
  return std::abs(static_cast<double>(a) - static_cast<double>(b));
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
  const auto is_known = [](const LinkedProcess& process) {
    return process.is_here || !process.trips.empty();
  };
  if (!is_known(of) || !is_known(reference)) return std::nullopt;
  ClockFacts ours;  // if neither process runs here, our CLOCK_MONOTONIC
  ours.origin_monotonic = 0;
  if (of.is_here) ours = of.clock;
  if (reference.is_here) ours = reference.clock;
  const std::size_t reference_number = reference.is_here ? kOurs : 1;
  const std::size_t number = of.is_here ? kOurs : reference_number + 1;
  if (number == reference_number) return std::nullopt;
  std::vector<Message> messages;
  if (!of.is_here) add_messages(of, ours, number, messages);
  if (!reference.is_here) add_messages(reference, ours, reference_number, messages);
  return align_clocks(std::max(number, reference_number) + 1, reference_number, messages)[number];
}

std::optional<std::int64_t> time_now(const LinkedProcess& process) {
  if (process.is_here) return time_of(link::read_clocks(), process.clock);
  if (process.trips.empty()) return std::nullopt;
  const link::RoundTrip& last = process.trips.back();
  const auto then = time_of(last.theirs, process.clock);
  if (!then) return std::nullopt;
  return wrapping_sum(*then, wrapping_difference(monotonic_ns(), last.asked.monotonic_ns));
}

std::int64_t SteeredClock::to_reference(std::int64_t ns) const {
  if (ns >= parts_.back().from_ns) return parts_.back().map.to_reference(ns);
  return std::prev(std::ranges::upper_bound(parts_, ns, {}, &Part::from_ns))->map.to_reference(ns);
}

void SteeredClock::steer(std::int64_t from_ns, const ClockMap& map) {
  constexpr std::int64_t kShortestNs = 1'000'000'000;
  constexpr double kMostAwayNs = 0x1p50;
  const std::int64_t here = to_reference(from_ns);
  const double away_ns = distance_ns(map.to_reference(from_ns), here);
  if (away_ns > kMostAwayNs) return;
  // The rate changes by at most a quarter, so the clock never goes back.
  const auto length_ns = std::max(kShortestNs, static_cast<std::int64_t>(4 * away_ns));
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

// Both maps and error_at() are straight between these times, so the error is largest at one of them.
std::int64_t SteeredClock::error_within(std::int64_t from_ns, std::int64_t to_ns,
                                        const AlignedClock& known) const {
  double largest_ns = 0;
  const auto look_at = [&](std::int64_t ns) {
    if (ns < from_ns || ns > to_ns) return;
    const double wrong_ns = distance_ns(to_reference(ns), known.map.to_reference(ns));
    largest_ns = std::max(largest_ns, wrong_ns + static_cast<double>(known.error_at(ns)));
  };
  for (const std::int64_t ns : {from_ns, to_ns, known.first_ns, known.last_ns}) look_at(ns);
  for (const Part& part : parts_) look_at(part.from_ns);
  return static_cast<std::int64_t>(std::min(largest_ns, 0x1p62));
}

}  // namespace runahead::merge
