#include "instrumentation/predict/forecast.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "instrumentation/base/wrapping.h"

namespace runahead::predict {
namespace {

constexpr std::size_t kStepGroups = 4;
// With fewer settled steps, the spread says nothing, and the interval is this wide.
constexpr double kSpreadOfFewSteps = 0.1;
constexpr double kLeastShown = 0.005;

// Twice the standard deviation of the rates of groups of settled steps, as a share of their mean.
double spread_of(const Outcome& outcome) {
  const std::vector<Duration>& ends = outcome.step_ends;
  const std::size_t first = std::max<std::size_t>(ends.size() / 4, 1) - 1;  // its end is not in a group
  const std::size_t steps = ends.size() < first + 1 ? 0 : ends.size() - first - 1;
  if (steps < 2 * kStepGroups) return kSpreadOfFewSteps;
  std::vector<double> rates;
  for (std::size_t group = 0; group < kStepGroups; ++group) {
    const std::size_t begin = first + group * steps / kStepGroups;
    const std::size_t end = first + (group + 1) * steps / kStepGroups;
    rates.push_back(rate_of(static_cast<std::int64_t>(end - begin), ends[end] - ends[begin]));
  }
  double mean = 0, squares = 0;
  for (const double rate : rates) mean += rate / static_cast<double>(rates.size());
  for (const double rate : rates) squares += (rate - mean) * (rate - mean);
  if (mean <= 0) return kSpreadOfFewSteps;
  return std::max(2 * std::sqrt(squares / static_cast<double>(rates.size() - 1)) / mean, kLeastShown);
}

// The state at the begins of a quarter of the steps, on average.
struct MeanBegin {
  double steps = 0, live_bytes = 0;
};
MeanBegin mean_of(std::span<const StepBegin> begins) {
  MeanBegin out;
  for (const StepBegin& begin : begins) {
    out.steps += static_cast<double>(begin.steps) / static_cast<double>(begins.size());
    out.live_bytes += static_cast<double>(begin.live_bytes) / static_cast<double>(begins.size());
  }
  return out;
}

// How the run-ahead grew from the third quarter of the steps to the last one.
struct Growth {
  double steps = 0;          // in flight
  double of_step = 0;        // the same for each step that was begun
  double bytes_of_step = 0;  // memory for each step in flight
};
Growth growth_of(std::span<const StepBegin> begins) {
  const std::size_t quarter = begins.size() / 4;
  if (quarter == 0) return {};
  const MeanBegin third = mean_of(begins.subspan(begins.size() - 2 * quarter, quarter));
  const MeanBegin last = mean_of(begins.last(quarter));
  const double steps = last.steps - third.steps;
  return {.steps = steps,
          .of_step = steps / static_cast<double>(quarter),
          .bytes_of_step = steps > 0 ? std::max((last.live_bytes - third.live_bytes) / steps, 0.0) : 0};
}

// Less growth may come from steps that differ.
constexpr double kLeastGrowth = 0.5, kLeastGrowthOfStep = 0.02;

// The most steps in flight that the limits allow. Infinite without a limit.
double steps_at_limit(const Settings& settings, const StepBegin& last) {
  double out = std::numeric_limits<double>::infinity();
  const auto limit = [&](std::int64_t most, std::int64_t now) {
    if (most > 0 && now > 0)
      out = std::min(out,
                     static_cast<double>(most) * static_cast<double>(last.steps) / static_cast<double>(now));
  };
  limit(settings.limit_ops, last.ops);
  limit(settings.limit_bytes, last.bytes);
  if (settings.barrier.kind == BarrierKind::kOps) limit(settings.barrier.k, last.ops);
  if (settings.barrier.kind == BarrierKind::kBytes) limit(settings.barrier.k, last.bytes);
  return out;
}

void extrapolate(const Settings& settings, const Outcome& outcome, PolicyForecast& out) {
  const BarrierKind kind = settings.barrier.kind;
  if (waits_at_points(kind) || kind == BarrierKind::kWindow) return;
  const Growth growth = growth_of(outcome.step_begins);
  if (growth.steps < kLeastGrowth || growth.of_step < kLeastGrowthOfStep) return;
  out.grows = kind == BarrierKind::kNone;
  out.peak_bytes = outcome.total_peak_bytes();
  const double at_limit = steps_at_limit(settings, outcome.step_begins.back());
  const auto now = static_cast<double>(outcome.max_steps);
  if (!(at_limit > now) || at_limit > 1e15) return;
  out.max_steps = static_cast<std::int64_t>(at_limit);
  const double more = growth.bytes_of_step * (at_limit - now);
  if (more < 1e18) out.peak_bytes = wrapping_sum(out.peak_bytes, static_cast<std::int64_t>(more));
}

}  // namespace

PolicyForecast forecast_of(const Replay& replay, const Program& program, const Outcome& outcome) {
  const double rate = outcome.settled_steps_per_s;
  const double spread = spread_of(outcome) + replay.drift();
  PolicyForecast out{.policy = program.settings.barrier,
                     .steps_per_s = rate,
                     .low = rate * std::max(0.0, 1 - spread),
                     .high = rate * (1 + spread),
                     .peak_bytes = outcome.settled_peak_bytes,
                     .max_steps = outcome.max_steps};
  extrapolate(program.settings, outcome, out);
  return out;
}

RunFigures run_figures(const Replay& replay, const Program& program, const Outcome& outcome) {
  if (!replay.is_recent())
    return {.steps_per_s = outcome.steps_per_s(), .peak_bytes = outcome.total_peak_bytes(), .interval = {}};
  const PolicyForecast settled = forecast_of(replay, program, outcome);
  return {.steps_per_s = settled.steps_per_s,
          .peak_bytes = settled.peak_bytes,
          .interval = {.low = settled.low, .high = settled.high}};
}

std::vector<PolicyForecast> forecast(const Replay& replay, std::span<const BarrierPolicy> policies) {
  Program program = replay.run().program;
  std::vector<PolicyForecast> out;
  for (const BarrierPolicy& policy : policies) {
    program.settings.barrier = policy;
    out.push_back(forecast_of(replay, program, simulate(program)));
  }
  return out;
}

const PolicyForecast* find_forecast(std::span<const PolicyForecast> forecasts, const BarrierPolicy& policy) {
  const auto found = std::ranges::find(forecasts, policy, &PolicyForecast::policy);
  return found == forecasts.end() ? nullptr : &*found;
}

ReadOptions recent_part(const BarrierPolicy& barrier) {
  constexpr std::chrono::seconds kMostRead{5};
  constexpr std::size_t kMostOps = 8'000;
  return {.most = kMostRead, .most_ops = kMostOps, .barrier = barrier};
}

}  // namespace runahead::predict
