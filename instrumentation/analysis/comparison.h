// Compares two sides, A and B: two ranges of one trace, or of two traces. The result has the figures of both
// sides with their ratios, and for each slice name the durations on both sides. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "instrumentation/analysis/side_summary.h"
#include "instrumentation/trace/rows/track.h"

namespace runahead::analysis {

// The ratio B / A of a figure, or the reason why it is undefined.
struct Ratio {
  enum class State : std::uint8_t { kKnown, kZeroInA, kZeroInBoth, kNotInA, kNotInB };
  State state = State::kZeroInBoth;
  double value = 0;  // valid only for kKnown

  [[nodiscard]] bool known() const { return state == State::kKnown; }
  friend bool operator==(const Ratio&, const Ratio&) = default;
};
[[nodiscard]] Ratio ratio_of(std::optional<double> a, std::optional<double> b);

enum class FigureKind : std::uint8_t {
  kDuration,  // duration of the range
  // time in which the user had paused the run and no op was in flight; excluded from rates and shares
  kPaused,
  kStepsPerS,
  kOpsPerS,
  kBlocked,     // share of the frontends' time in which they were blocked
  kDeviceBusy,  // share of the range in which the device executed or copied; one figure per device
  kOverlap,     // share of the range in which an execution and a copy ran at the same time
  kCopied,
  kCopyRate,  // copied bytes divided by the range's duration without its pauses (kPaused)
  kPeakMemory,
  kMedianRunAheadSteps,
  kMaxRunAheadSteps,
  kMedianRunAheadOps,
  kMaxRunAheadOps,
};
// Returns the figure's key in exported data, such as "steps_per_s". Keys do not change between versions.
[[nodiscard]] std::string_view figure_key(FigureKind kind);

struct FigurePair {
  FigureKind kind{};
  std::string device;          // for kDeviceBusy
  bool simulated = false;      // true: the device is simulated on at least one side
  trace::Unit unit{};          // kNanoseconds, kPerSecond, kRatio (a share, 0..1), kBytes...
  std::optional<double> a, b;  // the figure's values on both sides; nullopt: that side has no such figure
  Ratio ratio;
};

struct NamePair {
  std::string name;
  trace::SliceKind kind{};
  DurationHistogram a, b;  // count is 0: this side has no slices with this name
  std::int64_t a_bytes = 0, b_bytes = 0;

  [[nodiscard]] bool only_in_a() const { return b.count == 0; }
  [[nodiscard]] bool only_in_b() const { return a.count == 0; }
  [[nodiscard]] Duration difference() const { return b.total - a.total; }
  [[nodiscard]] Ratio total_ratio() const;
  [[nodiscard]] Ratio median_ratio() const;
};

struct Comparison {
  TimeRange a_range, b_range;
  // The figures are ordered by kind. Figures of the same kind for several devices are ordered by the device's
  // name. A figure that neither side has is omitted.
  std::vector<FigurePair> figures;
  std::vector<NamePair> names;  // the names whose total durations differ most between A and B come first
  trace::LossCounts a_losses, b_losses;
};

// REQUIRES: neither summary was cancelled.
[[nodiscard]] Comparison compare_sides(const SideSummary& a, const SideSummary& b);

}  // namespace runahead::analysis
