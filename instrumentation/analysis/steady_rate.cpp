#include "instrumentation/analysis/steady_rate.h"

#include <algorithm>
#include <vector>

namespace runahead::analysis {
namespace {

using trace::CounterSample;
using trace::CounterSeries;

bool counts_steps(const trace::Track& track) {
  return track.info.kind == trace::TrackKind::kCounter &&
         track.info.role == trace::CounterRole::kStepsFinished && !track.counter.empty();
}

double interpolated(const CounterSeries& steps, Timestamp t) {
  const std::uint64_t next = steps.first_row_from(t);
  if (next == steps.first_row()) return steps.sample(next).at == t ? steps.sample(next).value : 0;
  const CounterSample before = steps.sample(next - 1);
  if (next == steps.end_row()) return before.value;
  const CounterSample after = steps.sample(next);
  const double part =
      static_cast<double>(ns_from(t - before.at)) / static_cast<double>(ns_from(after.at - before.at));
  return before.value + (after.value - before.value) * part;
}

std::vector<double> rates_by_window(const trace::Trace& trace, TimeRange range) {
  constexpr double kWindowS = std::chrono::duration<double>(SteadyRate::kWindow).count();
  std::vector<double> rates;
  double before = steps_finished_by(trace, range.begin);
  for (Timestamp end = range.begin + SteadyRate::kWindow; end <= range.end; end += SteadyRate::kWindow) {
    const double now = steps_finished_by(trace, end);
    rates.push_back((now - before) / kWindowS);
    before = now;
  }
  return rates;
}

struct Windows {
  std::size_t first = 0, end = 0;
  double slowest = 0, fastest = 0;
};

// The longest sequence whose rates agree. A sequence that is longer than the longest so far can only begin
// later. Therefore each window is checked at most O(length) times.
Windows longest_agreeing(const std::vector<double>& rates) {
  Windows best;
  std::size_t first = 0;
  for (std::size_t end = 1; end <= rates.size(); ++end) {
    for (; first < end; ++first) {
      const auto [slowest, fastest] = std::minmax_element(rates.begin() + static_cast<std::ptrdiff_t>(first),
                                                          rates.begin() + static_cast<std::ptrdiff_t>(end));
      if (*slowest <= 0 || *fastest - *slowest > SteadyRate::kAgreement * *fastest) continue;
      if (end - first >= best.end - best.first) best = {first, end, *slowest, *fastest};
      break;
    }
  }
  return best;
}

}  // namespace

double steps_finished_by(const trace::Trace& trace, Timestamp t) {
  double steps = 0;
  for (const trace::Track& track : trace.tracks()) {
    if (counts_steps(track)) steps += interpolated(track.counter, t);
  }
  return steps;
}

Timestamp last_step_end(const trace::Trace& trace, TimeRange range) {
  Timestamp last = range.begin;
  for (const trace::Track& track : trace.tracks()) {
    if (!counts_steps(track)) continue;
    const std::uint64_t row = track.counter.first_row_from(range.end + Duration{1});
    if (row > track.counter.first_row()) last = std::max(last, track.counter.sample(row - 1).at);
  }
  return last;
}

SteadyRate steady_rate(const trace::Trace& trace, TimeRange range) {
  SteadyRate out;
  range.end = std::min(range.end, last_step_end(trace, range));
  if (range.empty()) return out;
  const Windows windows = longest_agreeing(rates_by_window(trace, range));
  if (windows.end - windows.first < SteadyRate::kLeastWindows) return out;
  const TimeRange steady{range.begin + SteadyRate::kWindow * static_cast<std::int64_t>(windows.first),
                         range.begin + SteadyRate::kWindow * static_cast<std::int64_t>(windows.end)};
  const double steps = steps_finished_by(trace, steady.end) - steps_finished_by(trace, steady.begin);
  if (steps < SteadyRate::kLeastSteps) return out;
  out.settled = true;
  out.range = steady;
  out.steps_per_s = steps / std::chrono::duration<double>(steady.duration()).count();
  out.spread = (windows.fastest - windows.slowest) / 2;
  return out;
}

}  // namespace runahead::analysis
