#include "instrumentation/analysis/comparison.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

#include "instrumentation/base/check.h"

namespace runahead::analysis {
namespace {

using trace::Unit;

// The index of the median in DurationHistogram::percentiles.
constexpr std::size_t kMedian = 0;
static_assert(kHistogramPercents[kMedian] == 50);

double seconds(const SideSummary& side) {
  return std::chrono::duration<double>(active_time(side.figures)).count();
}
double share(Duration part, const SideSummary& side) {
  const double whole = seconds(side);
  return whole > 0 ? std::chrono::duration<double>(part).count() / whole : 0;
}
double per_s(double amount, const SideSummary& side) {
  return seconds(side) > 0 ? amount / seconds(side) : 0;
}

class Figures {
 public:
  Figures(const SideSummary& a, const SideSummary& b) : a_(a), b_(b) {}

  template <typename Value>
  void add(FigureKind kind, Unit unit, const Value& value) {
    put({.kind = kind, .device = {}, .simulated = false, .unit = unit, .a = value(a_), .b = value(b_)});
  }
  void put(FigurePair pair) {
    pair.ratio = ratio_of(pair.a, pair.b);
    out_.push_back(std::move(pair));
  }
  void add_devices() {
    std::map<std::string, FigurePair> by_device;
    const auto take = [&](const SideSummary& side, std::optional<double> FigurePair::*value) {
      for (const DeviceBusy& busy : side.devices) {
        FigurePair& pair = by_device[busy.device];
        pair.kind = FigureKind::kDeviceBusy;
        pair.device = busy.device;
        pair.simulated = pair.simulated || busy.simulated;
        pair.unit = Unit::kRatio;
        pair.*value = share(busy.busy, side);
      }
    };
    take(a_, &FigurePair::a);
    take(b_, &FigurePair::b);
    for (auto& [device, pair] : by_device) put(std::move(pair));
  }
  std::vector<FigurePair> take() { return std::move(out_); }

  template <typename Value>
  [[nodiscard]] bool either(const Value& value) const {
    return value(a_) > 0 || value(b_) > 0;
  }

 private:
  const SideSummary &a_, &b_;
  std::vector<FigurePair> out_;
};

using Side = const SideSummary&;

// Adds the run-ahead in steps if either side has steps in flight, otherwise in ops.
void add_run_ahead(Figures& all) {
  if (all.either([](Side s) { return s.figures.max_run_ahead_steps; })) {
    all.add(FigureKind::kMedianRunAheadSteps, Unit::kCount, [](Side s) { return s.median_run_ahead_steps; });
    all.add(FigureKind::kMaxRunAheadSteps, Unit::kCount,
            [](Side s) { return s.figures.max_run_ahead_steps; });
  } else if (all.either([](Side s) { return s.figures.max_run_ahead_ops; })) {
    all.add(FigureKind::kMedianRunAheadOps, Unit::kCount, [](Side s) { return s.median_run_ahead_ops; });
    all.add(FigureKind::kMaxRunAheadOps, Unit::kCount, [](Side s) { return s.figures.max_run_ahead_ops; });
  }
}

std::vector<FigurePair> figures_of(Side a, Side b) {
  Figures all(a, b);
  all.add(FigureKind::kDuration, Unit::kNanoseconds,
          [](Side s) { return static_cast<double>(ns_from(s.figures.range.duration())); });
  if (all.either([](Side s) { return static_cast<double>(ns_from(s.figures.paused)); })) {
    all.add(FigureKind::kPaused, Unit::kNanoseconds,
            [](Side s) { return static_cast<double>(ns_from(s.figures.paused)); });
  }
  if (all.either([](Side s) { return s.figures.steps; }))
    all.add(FigureKind::kStepsPerS, Unit::kPerSecond, [](Side s) { return s.figures.steps_per_s; });
  if (all.either([](Side s) { return s.figures.ops; })) {
    all.add(FigureKind::kOpsPerS, Unit::kPerSecond,
            [](Side s) { return per_s(static_cast<double>(s.figures.ops), s); });
  }
  if (all.either([](Side s) { return s.figures.frontends; })) {
    all.add(FigureKind::kBlocked, Unit::kRatio, [](Side s) {
      return s.figures.frontends > 0 ? std::optional(s.figures.blocked_ratio) : std::nullopt;
    });
  }
  all.add_devices();
  if (all.either([](Side s) {
        return s.figures.copied_bytes + static_cast<double>(ns_from(s.figures.busy_copy));
      })) {
    all.add(FigureKind::kOverlap, Unit::kRatio, [](Side s) { return share(s.figures.overlap, s); });
    all.add(FigureKind::kCopied, Unit::kBytes, [](Side s) { return s.figures.copied_bytes; });
    all.add(FigureKind::kCopyRate, Unit::kBytesPerSecond,
            [](Side s) { return per_s(s.figures.copied_bytes, s); });
  }
  if (all.either([](Side s) { return s.figures.peak_bytes; }))
    all.add(FigureKind::kPeakMemory, Unit::kBytes, [](Side s) {
      // 0: no counter of memory, as in the predicted timeline of another tool's trace
      return s.figures.peak_bytes > 0 ? std::optional(s.figures.peak_bytes) : std::nullopt;
    });
  add_run_ahead(all);
  return all.take();
}

std::vector<NamePair> names_of(Side a, Side b) {
  std::map<std::pair<std::string, trace::SliceKind>, NamePair> by_name;
  const auto pair_of = [&](const NameSummary& name) -> NamePair& {
    NamePair& pair = by_name[{name.name, name.kind}];
    pair.name = name.name;
    pair.kind = name.kind;
    return pair;
  };
  for (const NameSummary& name : a.names) {
    NamePair& pair = pair_of(name);
    pair.a = name.durations;
    pair.a_bytes = name.size_bytes;
  }
  for (const NameSummary& name : b.names) {
    NamePair& pair = pair_of(name);
    pair.b = name.durations;
    pair.b_bytes = name.size_bytes;
  }
  std::vector<NamePair> out;
  for (auto& [key, pair] : by_name) out.push_back(std::move(pair));
  std::ranges::stable_sort(out, std::ranges::greater{},
                           [](const NamePair& pair) { return std::chrono::abs(pair.difference()); });
  return out;
}

// Returns the ratio of two durations. If a side has no slices with this name, this side has no duration, and
// Ratio::state says that there is no ratio.
Ratio ratio_of_durations(const NamePair& pair, Duration a, Duration b) {
  const auto value = [](const DurationHistogram& side, Duration d) {
    return side.count > 0 ? std::optional(static_cast<double>(ns_from(d))) : std::nullopt;
  };
  return ratio_of(value(pair.a, a), value(pair.b, b));
}

}  // namespace

Ratio ratio_of(std::optional<double> a, std::optional<double> b) {
  if (!a) return {Ratio::State::kNotInA};
  if (!b) return {Ratio::State::kNotInB};
  if (*a == 0) return {*b == 0 ? Ratio::State::kZeroInBoth : Ratio::State::kZeroInA};
  return {Ratio::State::kKnown, *b / *a};
}

std::string_view figure_key(FigureKind kind) {
  static constexpr std::array<std::string_view, 14> kKeys{"duration",
                                                          "paused",
                                                          "steps_per_s",
                                                          "ops_per_s",
                                                          "blocked",
                                                          "device_busy",
                                                          "overlap",
                                                          "copied",
                                                          "copy_rate",
                                                          "peak_memory",
                                                          "median_run_ahead_steps",
                                                          "max_run_ahead_steps",
                                                          "median_run_ahead_ops",
                                                          "max_run_ahead_ops"};
  return kKeys[static_cast<std::size_t>(kind)];
}

Ratio NamePair::total_ratio() const { return ratio_of_durations(*this, a.total, b.total); }
Ratio NamePair::median_ratio() const {
  return ratio_of_durations(*this, a.percentiles[kMedian], b.percentiles[kMedian]);
}

Comparison compare_sides(const SideSummary& a, const SideSummary& b) {
  RUNAHEAD_CHECK(!a.cancelled && !b.cancelled);
  return {a.figures.range, b.figures.range, figures_of(a, b), names_of(a, b), a.losses, b.losses};
}

}  // namespace runahead::analysis
