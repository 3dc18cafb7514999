// Turns the figures of a comparison into text, and filters and sorts its names. Pure: no ImGui.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "instrumentation/analysis/comparison.h"

namespace runahead::gui {

// Indices of the median and the 99th percentile in DurationHistogram::percentiles.
inline constexpr std::size_t kP50 = 0, kP99 = 3;
static_assert(analysis::kHistogramPercents[kP50] == 50 && analysis::kHistogramPercents[kP99] == 99);

[[nodiscard]] std::string figure_name(const analysis::FigurePair& figure);
[[nodiscard]] std::string figure_words(trace::Unit unit, std::optional<double> value);
// Returns "x0.23", "÷226", or the reason why there is no ratio: "A is 0", "only in B".
[[nodiscard]] std::string ratio_words(const analysis::Ratio& ratio);

// Columns of the table of names, most important first. The table shows as many columns as fit.
enum class ComparedColumn : std::uint8_t {
  kName,
  kDifference,
  kTotalA,
  kTotalB,
  kTotalRatio,
  kMedianA,
  kMedianB,
  kMedianRatio,
  kCountA,
  kCountB,
  kP99A,
  kP99B
};
inline constexpr int kNameColumnCount = 12;
[[nodiscard]] std::string column_name(ComparedColumn column);

// The two sides usually have different lengths. Therefore total durations and counts are shown per step or
// per second, unless the user wants them as recorded.
enum class ComparePer : std::uint8_t { kStep, kSecond, kRecorded };
inline constexpr int kComparePerCount = 3;
// "per step", "per second" or "as recorded".
[[nodiscard]] const char* per_words(ComparePer per);
// The factors by which the totals and counts of each side are multiplied.
struct CompareScale {
  double a = 1, b = 1;
};
// Returns the scale, and in `per` what it stands for: per second if a side has no steps, and as recorded if a
// side has no duration.
[[nodiscard]] CompareScale scale_of(const analysis::Comparison& comparison, ComparePer& per);

[[nodiscard]] std::string name_cell(const analysis::NamePair& pair, ComparedColumn column,
                                    const CompareScale& scale = {});

// Returns the indices of the names that contain all words of `filter` (ignoring case), sorted by a column.
// Differences are sorted by their absolute value. A name without a ratio is sorted as if its ratio were less
// than all other ratios.
[[nodiscard]] std::vector<std::size_t> listed_names(std::span<const analysis::NamePair> names,
                                                    std::string_view filter, ComparedColumn by,
                                                    bool descending, const CompareScale& scale = {});

// A bin of a plot of two histograms. `a`, `b`: the number of slices of each histogram in this bin.
struct OverlaidBin {
  Duration least{}, most{};
  std::uint64_t a = 0, b = 0;
};
// Returns the bins from the first to the last bin that either histogram uses. Each histogram may be empty.
[[nodiscard]] std::vector<OverlaidBin> overlaid(const analysis::DurationHistogram& a,
                                                const analysis::DurationHistogram& b);

}  // namespace runahead::gui
