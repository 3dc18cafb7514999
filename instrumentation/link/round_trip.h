// Round trips between two machines: one asks the other for the time, and reads its own clocks before the
// question and after the answer. The clocks of the other machine were read in between.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace runahead::link {

// The clocks of a machine, read at one time.
struct ClockReading {
  std::int64_t monotonic_ns = 0;  // CLOCK_MONOTONIC
  std::uint64_t tsc = 0;          // the time stamp counter; 0: recordings there do not use it (TickClock)
  friend bool operator==(const ClockReading&, const ClockReading&) = default;
};
// Reads the clocks of this machine. The first call of a process takes 5 ms.
[[nodiscard]] ClockReading read_clocks();

struct RoundTrip {
  ClockReading asked, theirs, answered;  // `asked` and `answered`: clocks of the machine that asks
  friend bool operator==(const RoundTrip&, const RoundTrip&) = default;
};

// A line for each round trip: its six numbers with tabs between them.
[[nodiscard]] std::string text_of_trips(std::span<const RoundTrip> trips);
// Leaves out lines that are no round trips: a peer may send anything.
[[nodiscard]] std::vector<RoundTrip> trips_in(const std::string& text);

}  // namespace runahead::link
