// The clocks of processes on other machines, from round trips between those machines and ours.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "instrumentation/link/round_trip.h"
#include "instrumentation/merge/clock_alignment.h"
#include "instrumentation/merge/process_facts.h"

namespace runahead::merge {

struct LinkedProcess {
  ClockFacts clock;
  std::span<const link::RoundTrip> trips;  // between its machine and ours; empty: none
  bool is_here = false;                    // it runs on our machine
};

// The clock of a process relative to the clock of `reference`. nullopt: there are no usable round trips to
// one of the two, and it does not run here.
// Method: the question and the answer of a round trip are messages, so align_clocks() gives the offset, the
// drift and their bounds.
[[nodiscard]] std::optional<AlignedClock> clock_from_trips(const LinkedProcess& of,
                                                           const LinkedProcess& reference);

// The time of its recording now, or a little later. nullopt: its clock is not known.
[[nodiscard]] std::optional<std::int64_t> time_now(const LinkedProcess& process);

// A map that is corrected while it is used, because a drift shows only after some time. It never goes back.
class SteeredClock {
 public:
  explicit SteeredClock(const ClockMap& map) : parts_{{std::numeric_limits<std::int64_t>::min(), map}} {}
  [[nodiscard]] std::int64_t to_reference(std::int64_t ns) const;
  // From `from_ns` on, the clock approaches `map`, which it reaches after a second, or later if it is far
  // away. Results for times before `from_ns` do not change.
  // If `map` is more than 13 days away, it is a lie or an error, and nothing changes.
  void steer(std::int64_t from_ns, const ClockMap& map);
  // The largest possible error of the times from `from_ns` to `to_ns`, by what is known now. REQUIRES:
  // from_ns <= to_ns.
  [[nodiscard]] std::int64_t error_within(std::int64_t from_ns, std::int64_t to_ns,
                                          const AlignedClock& known) const;

 private:
  struct Part {
    std::int64_t from_ns = 0;
    ClockMap map;
  };
  std::vector<Part> parts_;  // sorted by time
};

}  // namespace runahead::merge
