#include "gui/answers/compare_words.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <utility>

#include "gui/text/text.h"
#include "instrumentation/base/contains_text.h"
#include "instrumentation/base/format.h"

namespace runahead::gui {
namespace {

using analysis::DurationHistogram;
using analysis::FigureKind;
using analysis::NamePair;
using analysis::Ratio;

Text text_of(FigureKind kind) {
  switch (kind) {
    case FigureKind::kDuration:
      return Text::kCompareDuration;
    case FigureKind::kPaused:
      return Text::kPausedFor;
    case FigureKind::kStepsPerS:
      return Text::kCompareStepsPerS;
    case FigureKind::kOpsPerS:
      return Text::kCompareOpsPerS;
    case FigureKind::kBlocked:
      return Text::kCompareBlocked;
    case FigureKind::kDeviceBusy:
      return Text::kCompareDeviceBusy;
    case FigureKind::kOverlap:
      return Text::kCompareOverlap;
    case FigureKind::kCopied:
      return Text::kCompareCopied;
    case FigureKind::kCopyRate:
      return Text::kCompareCopyRate;
    case FigureKind::kPeakMemory:
      return Text::kComparePeakMemory;
    case FigureKind::kMedianRunAheadSteps:
      return Text::kCompareMedianRunAheadSteps;
    case FigureKind::kMaxRunAheadSteps:
      return Text::kCompareMaxRunAheadSteps;
    case FigureKind::kMedianRunAheadOps:
      return Text::kCompareMedianRunAheadOps;
    case FigureKind::kMaxRunAheadOps:
      break;
  }
  return Text::kCompareMaxRunAheadOps;
}

std::string duration_cell(const DurationHistogram& side, Duration duration) {
  return side.count > 0 ? format_duration(duration) : "";
}
std::string count_cell(const DurationHistogram& side, double scale) {
  return side.count > 0 ? format_count(static_cast<double>(side.count) * scale) : "";
}

Duration scaled(Duration duration, double scale) {
  return Duration{static_cast<std::int64_t>(std::llround(static_cast<double>(ns_from(duration)) * scale))};
}
Duration difference(const NamePair& pair, const CompareScale& scale) {
  return scaled(pair.b.total, scale.b) - scaled(pair.a.total, scale.a);
}
// Returns the ratio of the scaled totals.
Ratio total_ratio(const NamePair& pair, const CompareScale& scale) {
  Ratio ratio = pair.total_ratio();
  if (ratio.known()) ratio.value *= scale.b / scale.a;
  return ratio;
}

// Returns the value of a figure on both sides; nullopt: a side has no such figure.
std::optional<std::pair<double, double>> both_sides(const analysis::Comparison& comparison, FigureKind kind) {
  const auto found = std::ranges::find(comparison.figures, kind, &analysis::FigurePair::kind);
  if (found == comparison.figures.end() || !found->a || !found->b) return std::nullopt;
  return std::pair(*found->a, *found->b);
}

// Returns the sort key of a ratio. An unknown ratio sorts below every known ratio.
double order_of(const Ratio& ratio) { return ratio.known() ? ratio.value : -1; }

// Returns the sort key for any column except the name.
double key_of(const NamePair& pair, ComparedColumn column, const CompareScale& scale) {
  const auto ns = [](Duration d) { return static_cast<double>(ns_from(d)); };
  switch (column) {
    case ComparedColumn::kTotalA:
      return ns(pair.a.total);
    case ComparedColumn::kTotalB:
      return ns(pair.b.total);
    case ComparedColumn::kTotalRatio:
      return order_of(total_ratio(pair, scale));
    case ComparedColumn::kMedianA:
      return ns(pair.a.percentiles[kP50]);
    case ComparedColumn::kMedianB:
      return ns(pair.b.percentiles[kP50]);
    case ComparedColumn::kMedianRatio:
      return order_of(pair.median_ratio());
    case ComparedColumn::kCountA:
      return static_cast<double>(pair.a.count);
    case ComparedColumn::kCountB:
      return static_cast<double>(pair.b.count);
    case ComparedColumn::kP99A:
      return ns(pair.a.percentiles[kP99]);
    case ComparedColumn::kP99B:
      return ns(pair.b.percentiles[kP99]);
    default:
      return ns(std::chrono::abs(difference(pair, scale)));
  }
}

std::vector<std::string> words_of(std::string_view line) {
  std::istringstream in{std::string(line)};
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

}  // namespace

std::string figure_name(const analysis::FigurePair& figure) {
  std::string name = text(text_of(figure.kind));
  if (figure.kind != FigureKind::kDeviceBusy) return name;
  name += " " + translated(figure.device);
  if (figure.simulated) name += std::string(" ") + text(Text::kSimulatedMark);
  return name;
}

std::string figure_words(trace::Unit unit, std::optional<double> value) {
  if (!value) return "-";
  switch (unit) {
    case trace::Unit::kNanoseconds:
      return format_duration(Duration{static_cast<std::int64_t>(*value)});
    case trace::Unit::kPerSecond:
      return format_rate(*value);
    case trace::Unit::kRatio:
      return format_percent(*value);
    case trace::Unit::kBytes:
      return format_bytes(*value);
    case trace::Unit::kBytesPerSecond:
      return format_bytes_per_s(*value);
    default:
      return format_count(*value);
  }
}

std::string ratio_words(const Ratio& ratio) {
  switch (ratio.state) {
    case Ratio::State::kZeroInA:
      return text(Text::kCompareZeroInA);
    case Ratio::State::kZeroInBoth:
      return text(Text::kCompareZeroInBoth);
    case Ratio::State::kNotInA:
      return text(Text::kCompareOnlyInB);
    case Ratio::State::kNotInB:
      return text(Text::kCompareOnlyInA);
    case Ratio::State::kKnown:
      break;
  }
  return format_change(ratio.value);
}

std::string column_name(ComparedColumn column) {
  switch (column) {
    case ComparedColumn::kName:
      return text(Text::kName);
    case ComparedColumn::kDifference:
      return "B - A";
    case ComparedColumn::kTotalA:
      return std::string(text(Text::kTotal)) + " A";
    case ComparedColumn::kTotalB:
      return std::string(text(Text::kTotal)) + " B";
    case ComparedColumn::kTotalRatio:
      return "B/A";
    case ComparedColumn::kMedianA:
      return "p50 A";
    case ComparedColumn::kMedianB:
      return "p50 B";
    case ComparedColumn::kMedianRatio:
      return "p50 B/A";
    case ComparedColumn::kCountA:
      return std::string(text(Text::kCount)) + " A";
    case ComparedColumn::kCountB:
      return std::string(text(Text::kCount)) + " B";
    case ComparedColumn::kP99A:
      return "p99 A";
    case ComparedColumn::kP99B:
      break;
  }
  return "p99 B";
}

const char* per_words(ComparePer per) {
  if (per == ComparePer::kStep) return text(Text::kComparePerStep);
  return text(per == ComparePer::kSecond ? Text::kComparePerSecond : Text::kCompareRecordedTotals);
}

CompareScale scale_of(const analysis::Comparison& comparison, ComparePer& per) {
  const auto duration = both_sides(comparison, FigureKind::kDuration);
  const auto paused = both_sides(comparison, FigureKind::kPaused).value_or(std::pair(0.0, 0.0));
  const auto steps_per_s = both_sides(comparison, FigureKind::kStepsPerS);
  if (per == ComparePer::kRecorded) return {};
  const double a_s = duration ? (duration->first - paused.first) * 1e-9 : 0;
  const double b_s = duration ? (duration->second - paused.second) * 1e-9 : 0;
  if (a_s <= 0 || b_s <= 0) {
    per = ComparePer::kRecorded;
    return {};
  }
  const bool steps = steps_per_s && steps_per_s->first > 0 && steps_per_s->second > 0;
  if (per == ComparePer::kStep && steps)
    return {1 / (steps_per_s->first * a_s), 1 / (steps_per_s->second * b_s)};
  per = ComparePer::kSecond;
  return {1 / a_s, 1 / b_s};
}

std::string name_cell(const NamePair& pair, ComparedColumn column, const CompareScale& scale) {
  switch (column) {
    case ComparedColumn::kName:
      return pair.name;
    case ComparedColumn::kDifference:
      return (difference(pair, scale) > Duration{} ? "+" : "") + format_duration(difference(pair, scale));
    case ComparedColumn::kTotalA:
      return duration_cell(pair.a, scaled(pair.a.total, scale.a));
    case ComparedColumn::kTotalB:
      return duration_cell(pair.b, scaled(pair.b.total, scale.b));
    case ComparedColumn::kTotalRatio:
      return ratio_words(total_ratio(pair, scale));
    case ComparedColumn::kMedianA:
      return duration_cell(pair.a, pair.a.percentiles[kP50]);
    case ComparedColumn::kMedianB:
      return duration_cell(pair.b, pair.b.percentiles[kP50]);
    case ComparedColumn::kMedianRatio:
      return pair.a.count > 0 && pair.b.count > 0 ? ratio_words(pair.median_ratio()) : "";
    case ComparedColumn::kCountA:
      return count_cell(pair.a, scale.a);
    case ComparedColumn::kCountB:
      return count_cell(pair.b, scale.b);
    case ComparedColumn::kP99A:
      return duration_cell(pair.a, pair.a.percentiles[kP99]);
    case ComparedColumn::kP99B:
      break;
  }
  return duration_cell(pair.b, pair.b.percentiles[kP99]);
}

std::vector<std::size_t> listed_names(std::span<const NamePair> names, std::string_view filter,
                                      ComparedColumn by, bool descending, const CompareScale& scale) {
  const std::vector<std::string> words = words_of(filter);
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool holds = std::ranges::all_of(
        words, [&](const std::string& word) { return contains_ignoring_case(names[i].name, word); });
    if (holds) out.push_back(i);
  }
  std::ranges::stable_sort(out, [&](std::size_t a, std::size_t b) {
    if (descending) std::swap(a, b);
    if (by == ComparedColumn::kName) return names[a].name < names[b].name;
    return key_of(names[a], by, scale) < key_of(names[b], by, scale);
  });
  return out;
}

std::vector<OverlaidBin> overlaid(const DurationHistogram& a, const DurationHistogram& b) {
  if (a.bins.empty() && b.bins.empty()) return {};
  std::size_t first = std::numeric_limits<std::size_t>::max(), last = 0;
  for (const DurationHistogram* side : {&a, &b}) {
    if (side->bins.empty()) continue;
    first = std::min(first, analysis::bin_of(side->bins.front().least));
    last = std::max(last, analysis::bin_of(side->bins.back().least));
  }
  std::vector<OverlaidBin> out;
  for (std::size_t bin = first; bin <= last; ++bin)
    out.push_back({analysis::bin_begin(bin), analysis::bin_begin(bin + 1) - Duration{1}});
  for (const DurationHistogram::Bin& bin : a.bins) out[analysis::bin_of(bin.least) - first].a = bin.count;
  for (const DurationHistogram::Bin& bin : b.bins) out[analysis::bin_of(bin.least) - first].b = bin.count;
  return out;
}

}  // namespace runahead::gui
