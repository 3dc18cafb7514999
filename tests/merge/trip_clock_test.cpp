// Tests the clocks of other machines: simulated machines with a known offset and drift answer our questions.
#include "instrumentation/merge/trip_clock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "tests/support/random.h"
#include "tests/support/rounds.h"

namespace runahead::merge {
namespace {

using namespace runahead::testing;
using link::ClockReading;
using link::RoundTrip;

constexpr std::int64_t kTripSecond = 1'000'000'000;
constexpr std::int64_t kOurStart = 400 * kTripSecond;  // our clock at the first question

// A machine with a clock of its own. Its recording began when our clock was at `origin`.
struct Machine {
  std::int64_t offset_ns = 0;
  double drift = 0;      // against our clock
  double tsc_per_s = 0;  // 0: it has no time stamp counter
  std::int64_t origin_ns = kOurStart;

  [[nodiscard]] ClockReading at(double ours_ns) const {
    const double gone = ours_ns - static_cast<double>(kOurStart);
    const auto monotonic = kOurStart + offset_ns + std::llround(gone * (1 + drift));
    const double ticks = 5e15 + gone * (1 + drift) * tsc_per_s / 1e9;
    return {monotonic, tsc_per_s > 0 ? static_cast<std::uint64_t>(std::llround(ticks)) : 0};
  }
  [[nodiscard]] ClockFacts facts() const {
    const ClockReading origin = at(static_cast<double>(origin_ns));
    ClockFacts facts;
    facts.boot = std::to_string(offset_ns);
    facts.origin_monotonic = origin.monotonic_ns;
    if (tsc_per_s > 0) {
      facts.origin_tsc = origin.tsc;
      facts.tsc_per_s = tsc_per_s;
    }
    return facts;
  }
  // The time of the recording when our clock is at `ours_ns`.
  [[nodiscard]] double recorded(double ours_ns) const {
    return (ours_ns - static_cast<double>(origin_ns)) * (1 + drift);
  }
};

// One round trip in a second, each with its own delays.
std::vector<RoundTrip> trips_to(const Machine& machine, const Machine& ours, Random& random, int seconds) {
  std::vector<RoundTrip> trips;
  for (int i = 0; i <= seconds; ++i) {
    const auto delay = [&random] { return static_cast<double>(random.integer(20'000, 2'000'000)); };
    const double asked = static_cast<double>(kOurStart + i * kTripSecond), read = asked + delay();
    trips.push_back({ours.at(asked), machine.at(read), ours.at(read + delay())});
  }
  return trips;
}

// Compares the map with the truth over the time of the round trips.
void expect_right(const std::optional<AlignedClock>& clock, const Machine& of, const Machine& reference,
                  int seconds) {
  ASSERT_TRUE(clock.has_value());
  EXPECT_EQ(clock->contradiction_ns, 0);
  EXPECT_LT(clock->error_ns, 5'000'000);
  for (int i = 0; i <= seconds; ++i) {
    const double ours = static_cast<double>(kOurStart + i * kTripSecond);
    const auto time = std::llround(of.recorded(ours));
    const double wrong = static_cast<double>(clock->map.to_reference(time)) - reference.recorded(ours);
    EXPECT_LE(std::abs(wrong), static_cast<double>(clock->error_at(time)) + 2) << "after " << i << " s";
  }
}

TEST(TripClock, FindsOffsetAndDriftWithinTheStatedError) {
  Random random;
  for (int round = 0; round < rounds(40, 10); ++round) {
    const auto machine = [&random](bool drifts) {
      Machine made;
      made.offset_ns = random.integer(-300 * kTripSecond, 9000 * kTripSecond);
      made.drift = drifts ? static_cast<double>(random.integer(-300, 300)) * 1e-6 : 0;
      made.tsc_per_s = random.integer(0, 1) == 1 ? 2.5e9 : 0;
      made.origin_ns = kOurStart - random.integer(0, 100) * kTripSecond;
      return made;
    };
    const int seconds = static_cast<int>(random.integer(1, 60));
    Machine here = machine(false);
    here.offset_ns = 0;
    const Machine one = machine(true), other = machine(true);
    const auto to_one = trips_to(one, here, random, seconds),
               to_other = trips_to(other, here, random, seconds);
    const LinkedProcess local{here.facts(), {}, true}, first{one.facts(), to_one},
        second{other.facts(), to_other};
    expect_right(clock_from_trips(first, local), one, here, seconds);
    expect_right(clock_from_trips(local, first), here, one, seconds);
    expect_right(clock_from_trips(second, first), other, one, seconds);
  }
}

TEST(TripClock, IsUnknownWithoutRoundTripsAndWithoutAClock) {
  Random random(1);
  const Machine here, there{.offset_ns = 5, .drift = 0, .tsc_per_s = 0};
  const auto trips = trips_to(there, here, random, 3);
  const LinkedProcess linked{there.facts(), trips}, lost{here.facts(), {}}, local{here.facts(), {}, true};
  EXPECT_TRUE(clock_from_trips(linked, local).has_value());
  EXPECT_FALSE(clock_from_trips(local, local).has_value());
  EXPECT_FALSE(clock_from_trips(linked, lost).has_value()) << "the reference may run anywhere";
  EXPECT_FALSE(clock_from_trips(lost, linked).has_value());
  EXPECT_FALSE(clock_from_trips({ClockFacts{}, trips}, local).has_value());
  EXPECT_FALSE(time_now({ClockFacts{}, {}}).has_value());
}

TEST(TripClock, SurvivesWhatAPeerMaySend) {
  Random random;
  for (int round = 0; round < rounds(200, 50); ++round) {
    const auto any = [&random] {
      return ClockReading{random.integer(0, std::int64_t{1} << 61),
                          static_cast<std::uint64_t>(random.integer(0, std::int64_t{1} << 61))};
    };
    std::vector<RoundTrip> trips;
    for (int i = 0; i < 10; ++i) trips.push_back({any(), any(), any()});
    const Machine here{.offset_ns = 0, .drift = 0, .tsc_per_s = 2.5e9},
        there{.offset_ns = 5, .tsc_per_s = 1e9};
    const LinkedProcess linked{there.facts(), trips};
    const auto clock = clock_from_trips(linked, {here.facts(), {}, true});
    if (!clock) continue;
    SteeredClock steered({});
    const std::int64_t now = time_now(linked).value_or(0);
    steered.steer(now, clock->map);
    EXPECT_EQ(steered.to_reference(now), now);
    std::int64_t last = now;
    for (std::int64_t step = 1; step < std::int64_t{1} << 60; step *= 2) {
      EXPECT_LE(last, steered.to_reference(now + step));
      last = steered.to_reference(now + step);
    }
  }
}

TEST(SteeredClock, KeepsWhatItHasSaidNeverGoesBackAndReachesTheMap) {
  Random random;
  for (int round = 0; round < rounds(100, 20); ++round) {
    SteeredClock clock({.offset_ns = 70});
    std::int64_t now = random.integer(0, 100 * kTripSecond);
    std::vector<std::pair<std::int64_t, std::int64_t>> said;
    for (int turn = 0; turn < 20; ++turn) {
      const ClockMap map{.base_ns = 0,
                         .offset_ns = random.integer(-3 * kTripSecond, 3 * kTripSecond),
                         .drift = static_cast<double>(random.integer(-500, 500)) * 1e-6};
      const std::int64_t away = std::abs(map.to_reference(now) - clock.to_reference(now));
      clock.steer(now, map);
      const std::int64_t end = now + random.integer(1, 60) * kTripSecond;
      for (int i = 0; i < 50; ++i) {
        const std::int64_t at = random.integer(now, end);
        said.emplace_back(at, clock.to_reference(at));
        if (at > now + std::max(kTripSecond, 4 * away)) {
          EXPECT_EQ(said.back().second, map.to_reference(at));
        }
      }
      for (const auto& [at, time] : said) {
        if (at < end) {
          EXPECT_EQ(clock.to_reference(at), time);
        }
      }
      now = end + 1;
    }
    std::ranges::sort(said);
    for (std::size_t i = 1; i < said.size(); ++i) EXPECT_LE(said[i - 1].second, said[i].second);
  }
}

TEST(SteeredClock, StatesTheLargestErrorAlsoOfTimesBeforeTheFirstRoundTrip) {
  Random random;
  for (int round = 0; round < rounds(40, 10); ++round) {
    Machine here{.tsc_per_s = 2.5e9}, there{.drift = static_cast<double>(random.integer(-300, 300)) * 1e-6};
    there.offset_ns = random.integer(0, 9000 * kTripSecond);
    here.origin_ns = there.origin_ns = kOurStart - random.integer(1, 600) * kTripSecond;
    const int seconds = static_cast<int>(random.integer(1, 60));
    const auto trips = trips_to(there, here, random, seconds);
    const LinkedProcess local{here.facts(), {}, true};
    const auto first = clock_from_trips({there.facts(), {trips.data(), 2}}, local);
    ASSERT_TRUE(first.has_value());
    SteeredClock clock(first->map);
    std::optional<AlignedClock> known;
    for (int i = 2; i <= seconds + 1; ++i) {
      known = clock_from_trips({there.facts(), {trips.data(), static_cast<std::size_t>(i)}}, local);
      clock.steer(std::llround(there.recorded(static_cast<double>(kOurStart + i * kTripSecond))), known->map);
    }
    const auto end =
        std::llround(there.recorded(static_cast<double>(kOurStart + (seconds + 2) * kTripSecond)));
    const auto stated = static_cast<double>(clock.error_within(0, end, *known));
    for (int i = 0; i <= 1000; ++i) {
      const double ours = static_cast<double>(here.origin_ns) +
                          static_cast<double>(kOurStart + seconds * kTripSecond - here.origin_ns) * i / 1000;
      const auto said = static_cast<double>(clock.to_reference(std::llround(there.recorded(ours))));
      EXPECT_LE(std::abs(said - here.recorded(ours)), stated + 2) << i;
    }
  }
}

TEST(SteeredClock, ReachesTheMapAfterASecond) {
  SteeredClock clock({});
  clock.steer(10 * kTripSecond, {.base_ns = 0, .offset_ns = 5'000'000, .drift = 0});
  EXPECT_EQ(clock.to_reference(10 * kTripSecond - 1), 10 * kTripSecond - 1);
  EXPECT_EQ(clock.to_reference(10 * kTripSecond), 10 * kTripSecond);
  EXPECT_EQ(clock.to_reference(10 * kTripSecond + kTripSecond / 2),
            10 * kTripSecond + kTripSecond / 2 + 2'500'000);
  EXPECT_EQ(clock.to_reference(11 * kTripSecond), 11 * kTripSecond + 5'000'000);
  EXPECT_EQ(clock.to_reference(50 * kTripSecond), 50 * kTripSecond + 5'000'000);
}

}  // namespace
}  // namespace runahead::merge
