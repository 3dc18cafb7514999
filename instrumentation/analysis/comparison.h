// Two ranges, of one trace or of two, side by side: figures with their ratios, and names matched. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "instrumentation/analysis/side_summary.h"
#include "instrumentation/trace/rows/track.h"

namespace runahead::analysis {

// B / A; where that says nothing, why.
struct Ratio {
  enum class State : std::uint8_t { kKnown, kZeroInA, kZeroInBoth, kNotInA, kNotInB };
  State state = State::kZeroInBoth;
  double value = 0;  // of kKnown

  [[nodiscard]] bool known() const { return state == State::kKnown; }
  friend bool operator==(const Ratio&, const Ratio&) = default;
};
[[nodiscard]] Ratio ratio_of(std::optional<double> a, std::optional<double> b);

enum class FigureKind : std::uint8_t {
  kDuration,  // of the range
  kPaused,    // of it, held by a person with nothing in flight: rates and shares are of the rest
  kStepsPerS,
  kOpsPerS,
  kBlocked,     // share of the frontends' time
  kDeviceBusy,  // share of the range in which anything was executed or copied on it; one for each device
  kOverlap,     // share of the range in which something was executed and something copied
  kCopied,
  kCopyRate,  // copied, by the range's duration
  kPeakMemory,
  kMedianRunAheadSteps,
  kMaxRunAheadSteps,
  kMedianRunAheadOps,
  kMaxRunAheadOps,
};
// Never changes: "steps_per_s".
[[nodiscard]] std::string_view figure_key(FigureKind kind);

struct FigurePair {
  FigureKind kind{};
  std::string device;          // of kDeviceBusy
  bool simulated = false;      // that device, on either side
  trace::Unit unit{};          // kNanoseconds, kPerSecond, kRatio (a share, 0..1), kBytes...
  std::optional<double> a, b;  // nullopt: there is nothing of the kind on that side
  Ratio ratio;
};

struct NamePair {
  std::string name;
  trace::SliceKind kind{};
  DurationHistogram a, b;  // count 0: there is none of it on that side
  std::int64_t a_bytes = 0, b_bytes = 0;

  [[nodiscard]] bool only_in_a() const { return b.count == 0; }
  [[nodiscard]] bool only_in_b() const { return a.count == 0; }
  [[nodiscard]] Duration difference() const { return b.total - a.total; }
  [[nodiscard]] Ratio total_ratio() const;
  [[nodiscard]] Ratio median_ratio() const;
};

struct Comparison {
  TimeRange a_range, b_range;
  std::vector<FigurePair> figures;  // by kind, devices by name; those that neither side has left out
  std::vector<NamePair> names;      // the largest difference of total first, whatever its sign
  trace::LossCounts a_losses, b_losses;
};

// REQUIRES: neither was cancelled.
[[nodiscard]] Comparison compare_sides(const SideSummary& a, const SideSummary& b);

}  // namespace runahead::analysis
