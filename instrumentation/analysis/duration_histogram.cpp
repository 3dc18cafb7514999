#include "instrumentation/analysis/duration_histogram.h"

#include <algorithm>
#include <cmath>

#include "instrumentation/analysis/nearest_rank.h"

namespace runahead::analysis {
namespace {

// The whole-number edges of bins 1 on: 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 16, ... ns. Below 8 ns four to a
// doubling would be less than 1 ns apart.
constexpr std::size_t kFine = 8;  // bin i begins at i up to here

std::int64_t edge(std::size_t bin) {
  if (bin <= kFine) return static_cast<std::int64_t>(bin);
  const std::size_t beyond = bin - kFine;
  const double within = std::exp2(static_cast<double>(beyond % 4) / 4);
  return static_cast<std::int64_t>(std::ldexp(within, static_cast<int>(3 + beyond / 4)));
}

}  // namespace

Duration bin_begin(std::size_t bin) { return Duration{edge(bin)}; }

std::size_t bin_of(Duration duration) {
  const std::int64_t ns = std::max<std::int64_t>(0, duration.count());
  if (ns < static_cast<std::int64_t>(kFine)) return static_cast<std::size_t>(ns);
  // Close by, and then exactly: the edges are whole numbers.
  std::size_t bin = kFine + static_cast<std::size_t>(std::log2(static_cast<double>(ns) / 8) * 4);
  while (edge(bin) > ns) --bin;
  while (edge(bin + 1) <= ns) ++bin;
  return bin;
}

DurationHistogram duration_histogram(std::vector<Duration> durations) {
  DurationHistogram out;
  if (durations.empty()) return out;
  const auto [min, max] = std::ranges::minmax(durations);
  out.min = min;
  out.max = max;
  out.count = durations.size();
  const std::size_t first = bin_of(min);
  for (std::size_t bin = first; bin <= bin_of(max); ++bin)
    out.bins.push_back({.least = bin_begin(bin), .most = bin_begin(bin + 1) - Duration{1}});
  for (const Duration duration : durations) {
    DurationHistogram::Bin& bin = out.bins[bin_of(duration) - first];
    ++bin.count;
    bin.total += duration;
    out.total += duration;
  }
  for (std::size_t i = 0; i < kHistogramPercents.size(); ++i)
    out.percentiles[i] = nearest_rank(durations, kHistogramPercents[i]);
  return out;
}

}  // namespace runahead::analysis
