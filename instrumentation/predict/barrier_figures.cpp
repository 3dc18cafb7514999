#include "instrumentation/predict/barrier_figures.h"

#include <array>

#include "instrumentation/predict/forecast.h"

namespace runahead::predict {

NamedFigures figures_with_barrier(const trace::Trace& trace, const std::string& barrier) {
  const Result<Replay> replay = Replay::of(trace);
  if (!replay || !replay->trusted()) return {};
  const Result<Prediction> prediction = replay->predict({{"barrier", barrier}});
  if (!prediction) return {};
  const Outcome& outcome = prediction->outcome;
  return {{"steps_per_s", outcome.steps_per_s()},
          {"blocked_ratio", outcome.blocked_ratio()},
          {"peak_bytes", static_cast<double>(outcome.total_peak_bytes())},
          {"max_run_ahead_steps", static_cast<double>(outcome.max_steps)}};
}

NamedFigures settled_figures(const trace::Trace& trace, const BarrierPolicy& now, const BarrierPolicy& next) {
  const Result<Replay> replay = Replay::of(trace, recent_part(now));
  if (!replay || !replay->trusted()) return {};
  const std::vector<PolicyForecast> forecasts = forecast(*replay, std::array{next});
  const PolicyForecast& one = forecasts.front();
  return {{"steps_per_s", one.steps_per_s},
          {"peak_bytes", static_cast<double>(one.peak_bytes)},
          {"max_run_ahead_steps", static_cast<double>(one.max_steps)}};
}

}  // namespace runahead::predict
