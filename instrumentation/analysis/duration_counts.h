// DurationCounts: the distribution of many durations, in memory that does not grow with their number.
// Comparisons use this class, because a comparison needs the durations of all names of two traces at the same
// time.
//
// Method: up to kMostExact durations are stored as they are. After that, each duration only increments the
// count of a fine bin. The durations from one power of two to the next are divided into 2048 fine bins. These
// bins form a page, which is allocated on first use.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "instrumentation/analysis/duration_histogram.h"

namespace runahead::analysis {

class DurationCounts {
 public:
  // The percentiles are exact for up to this number of durations. For more durations, the percentiles come
  // from the counts of fine bins. The error is then below 1/4096 (0.025 %): too small to be visible in the
  // three digits that are displayed. Count, total, minimum, maximum and the bins of the histogram are always
  // exact. Fine bins cost 8 KiB for each page in use.
  static constexpr std::size_t kMostExact = 4096;

  void add(Duration duration);  // REQUIRES: duration >= 0
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] DurationHistogram histogram() const;

 private:
  // page 0: durations below 2048 ns; then one page per doubling of the duration
  static constexpr std::size_t kFineBins = 2048, kPages = 53;
  using Page = std::array<std::uint32_t, kFineBins>;
  struct Bin {
    std::uint64_t count = 0;
    std::uint64_t total_ns = 0;  // wraps around (modulo 2^64) if a trace has invalid times
  };

  void spill();
  void count_in_fine_bins(std::int64_t ns);
  [[nodiscard]] Duration percentile(double percent) const;  // REQUIRES: spill() was called

  std::uint64_t count_ = 0;
  std::int64_t min_ns_ = INT64_MAX, max_ns_ = 0;
  std::vector<Duration> exact_;  // all durations until they spill into fine bins
  std::vector<Bin> bins_;        // index: bin_of(); empty until the durations spill
  std::array<std::unique_ptr<Page>, kPages> pages_;
};

}  // namespace runahead::analysis
