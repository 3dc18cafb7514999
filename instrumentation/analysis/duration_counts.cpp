#include "instrumentation/analysis/duration_counts.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace runahead::analysis {
namespace {

struct FineBin {
  std::size_t page = 0, index = 0;
};

// Durations below 2048 ns are in page 0, which has one bin for each ns. For a longer duration, the position
// of its highest set bit gives the page, and the 11 bits below that bit give the index in the page.
FineBin fine_bin_of(std::int64_t ns) {
  const auto bits = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(ns)));
  if (bits <= 11) return {0, static_cast<std::size_t>(ns)};
  return {bits - 11, static_cast<std::size_t>(ns >> (bits - 12)) & 2047};
}

// The middle of a fine bin. It differs from each duration in the bin by at most 1/4096 of that duration.
std::int64_t middle(FineBin at) {
  if (at.page == 0) return static_cast<std::int64_t>(at.index);
  const std::size_t shift = at.page - 1;
  const std::int64_t begin = static_cast<std::int64_t>(2048 + at.index) << shift;
  return begin + ((std::int64_t{1} << shift) - 1) / 2;
}

}  // namespace

void DurationCounts::add(Duration duration) {
  const std::int64_t ns = std::max<std::int64_t>(0, duration.count());
  ++count_;
  min_ns_ = std::min(min_ns_, ns);
  max_ns_ = std::max(max_ns_, ns);
  if (!bins_.empty()) return count_in_fine_bins(ns);
  exact_.push_back(Duration{ns});
  if (exact_.size() > kMostExact) spill();
}

void DurationCounts::spill() {
  bins_.resize(1);
  for (const Duration duration : exact_) count_in_fine_bins(duration.count());
  std::vector<Duration>().swap(exact_);
}

void DurationCounts::count_in_fine_bins(std::int64_t ns) {
  const FineBin at = fine_bin_of(ns);
  std::unique_ptr<Page>& page = pages_[at.page];
  if (!page) page = std::make_unique<Page>();
  ++(*page)[at.index];
  const std::size_t bin = bin_of(Duration{ns});
  if (bin >= bins_.size()) bins_.resize(bin + 1);
  ++bins_[bin].count;
  bins_[bin].total_ns += static_cast<std::uint64_t>(ns);
}

Duration DurationCounts::percentile(double percent) const {
  // the same rank as in nearest_rank()
  const double rank = std::ceil(percent / 100 * static_cast<double>(count_) - 1e-9);
  const auto wanted = static_cast<std::uint64_t>(std::clamp(rank, 1.0, static_cast<double>(count_)));
  std::uint64_t before = 0;
  for (std::size_t page = 0; page < kPages; ++page) {
    if (!pages_[page]) continue;
    for (std::size_t cell = 0; cell < kFineBins; ++cell) {
      before += (*pages_[page])[cell];
      if (before >= wanted) return Duration{std::clamp(middle({page, cell}), min_ns_, max_ns_)};
    }
  }
  return Duration{max_ns_};
}

DurationHistogram DurationCounts::histogram() const {
  if (bins_.empty()) return duration_histogram(exact_);
  DurationHistogram out;
  out.count = count_;
  out.min = Duration{min_ns_};
  out.max = Duration{max_ns_};
  std::uint64_t total_ns = 0;
  for (std::size_t bin = bin_of(out.min); bin < bins_.size(); ++bin) {
    const Duration total{static_cast<std::int64_t>(bins_[bin].total_ns)};
    out.bins.push_back({bin_begin(bin), bin_begin(bin + 1) - Duration{1}, bins_[bin].count, total});
    total_ns += bins_[bin].total_ns;
  }
  out.total = Duration{static_cast<std::int64_t>(total_ns)};
  for (std::size_t i = 0; i < kHistogramPercents.size(); ++i)
    out.percentiles[i] = percentile(kHistogramPercents[i]);
  return out;
}

}  // namespace runahead::analysis
