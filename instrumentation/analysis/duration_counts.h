// DurationCounts: how long many slices took, in memory that does not grow with how many they are. For
// comparisons, which hold every name of two traces at once.
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
  // So many are kept as they are, and their percentiles are exact. Of more, counts by cell of 1/2048 of a
  // doubling: percentiles are off by less than 1/4096 (0.025 %), below the three digits that are shown.
  // Count, total, extremes and bins are always exact. Cells cost 8 KiB for each doubling that has any.
  static constexpr std::size_t kMostExact = 4096;

  void add(Duration duration);  // 0 and more
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] DurationHistogram histogram() const;

 private:
  static constexpr std::size_t kCells = 2048, kPages = 53;  // page 0: below 2048 ns; then one a doubling
  using Page = std::array<std::uint32_t, kCells>;
  struct Bin {
    std::uint64_t count = 0;
    std::uint64_t total_ns = 0;  // modulo 2^64, of a trace whose times make no sense
  };

  void spill();
  void count_in_cells(std::int64_t ns);
  [[nodiscard]] Duration percentile(double percent) const;  // REQUIRES: spilled

  std::uint64_t count_ = 0;
  std::int64_t min_ns_ = INT64_MAX, max_ns_ = 0;
  std::vector<Duration> exact_;  // until it spills
  std::vector<Bin> bins_;        // by bin_of(); empty until it spills
  std::array<std::unique_ptr<Page>, kPages> pages_;
};

}  // namespace runahead::analysis
