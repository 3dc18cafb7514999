#include "instrumentation/analysis/duration_histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "instrumentation/analysis/nearest_rank.h"

namespace runahead::analysis {
namespace {

// The edges of bins 1 and up, in whole ns: 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 16, ... Below 8 ns, bins are 1
// ns wide, because four bins per doubling would be narrower than 1 ns.
constexpr std::size_t kFine = 8;  // bins 0 to kFine: bin i begins at i ns
// the last bin contains the longest possible Duration (63 bits)
constexpr std::size_t kBins = kFine + 4 * 60;

std::int64_t edge(std::size_t bin) {
  if (bin <= kFine) return static_cast<std::int64_t>(bin);
  const std::size_t beyond = bin - kFine;
  const double within = std::exp2(static_cast<double>(beyond % 4) / 4);
  return static_cast<std::int64_t>(std::ldexp(within, static_cast<int>(3 + beyond / 4)));
}

// The edges are stored in a table, because a long trace needs them for each of its many slices.
const std::array<std::int64_t, kBins>& edges() {
  static const std::array<std::int64_t, kBins> kEdges = [] {
    std::array<std::int64_t, kBins> all{};
    for (std::size_t bin = 0; bin < kBins; ++bin) all[bin] = edge(bin);
    return all;
  }();
  return kEdges;
}

}  // namespace

Duration bin_begin(std::size_t bin) { return bin < kBins ? Duration{edges()[bin]} : Duration::max(); }

std::size_t bin_of(Duration duration) {
  const std::int64_t ns = std::max<std::int64_t>(0, duration.count());
  if (ns < static_cast<std::int64_t>(kFine)) return static_cast<std::size_t>(ns);
  // From 8 ns on, four bins cover the durations from one power of two to the next. The first of them begins
  // at the power of two.
  const auto doubling = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(ns)) - 1);
  std::size_t bin = kFine + 4 * (doubling - 3);
  for (std::size_t quarter = 0; quarter < 3 && edges()[bin + 1] <= ns; ++quarter) ++bin;
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
