// The distribution of durations: a histogram with a logarithmic axis, and exact percentiles. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "instrumentation/base/time.h"

namespace runahead::analysis {

inline constexpr std::array<double, 5> kHistogramPercents{50, 90, 95, 99, 99.9};

struct DurationHistogram {
  // Durations from `least` to `most`, both included. Each bin begins where the previous one ends.
  struct Bin {
    Duration least{}, most{};
    std::uint64_t count = 0;
    Duration total{};
  };
  std::vector<Bin> bins;  // from the bin that contains `min` to the bin that contains `max`; empty: no slices
  std::uint64_t count = 0;
  Duration total{}, min{}, max{};
  // by nearest rank (nearest_rank.h), in the order of kHistogramPercents
  std::array<Duration, kHistogramPercents.size()> percentiles{};

  [[nodiscard]] Duration mean() const {
    return count != 0 ? total / static_cast<std::int64_t>(count) : Duration{};
  }
};

// There are four bins per doubling of the duration. Below 8 ns, there is one bin for each ns. The edges are
// rounded to whole ns. The edges are fixed, so histograms of any two sets of slices can be compared bin by
// bin. Bin 0 contains durations of 0.
[[nodiscard]] std::size_t bin_of(Duration duration);
[[nodiscard]] Duration bin_begin(std::size_t bin);

// Returns the histogram of `durations`, which must be at least 0 and may be in any order. O(n).
[[nodiscard]] DurationHistogram duration_histogram(std::vector<Duration> durations);

}  // namespace runahead::analysis
