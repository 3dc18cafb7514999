// How long slices took: a histogram on a logarithmic axis, with exact percentiles. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "instrumentation/base/time.h"

namespace runahead::analysis {

inline constexpr std::array<double, 5> kHistogramPercents{50, 90, 95, 99, 99.9};

struct DurationHistogram {
  // Of durations from `least` to `most`, both included; each bin begins where the one before ends.
  struct Bin {
    Duration least{}, most{};
    std::uint64_t count = 0;
    Duration total{};
  };
  std::vector<Bin> bins;  // from the one that holds `min` to the one that holds `max`; empty: no slices
  std::uint64_t count = 0;
  Duration total{}, min{}, max{};
  std::array<Duration, kHistogramPercents.size()> percentiles{};  // by nearest rank, as statistics.h

  [[nodiscard]] Duration mean() const {
    return count != 0 ? total / static_cast<std::int64_t>(count) : Duration{};
  }
};

// The bins' edges: four to each doubling, rounded to whole ns, so that histograms of any two sets of slices
// can be laid over each other bin by bin. Bin 0 holds durations of 0.
[[nodiscard]] std::size_t bin_of(Duration duration);
[[nodiscard]] Duration bin_begin(std::size_t bin);

// Of durations of 0 and more, in any order. O(n).
[[nodiscard]] DurationHistogram duration_histogram(std::vector<Duration> durations);

}  // namespace runahead::analysis
