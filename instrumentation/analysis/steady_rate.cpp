#include "instrumentation/analysis/steady_rate.h"

#include <algorithm>
#include <deque>
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

// A window is a half second (SteadyRate::kWindow). For a range of windows that moves forward, a MovingExtreme
// knows the smallest (or largest) rate in the range, without a search of all its windows.
class MovingExtreme {
 public:
  MovingExtreme(const std::vector<double>& rates, bool largest) : rates_(rates), sign_(largest ? -1 : 1) {}
  void add(std::size_t window) {
    while (!kept_.empty() && sign_ * rates_[kept_.back()] >= sign_ * rates_[window]) kept_.pop_back();
    kept_.push_back(window);
  }
  void remove_before(std::size_t first) {
    while (!kept_.empty() && kept_.front() < first) kept_.pop_front();
  }
  [[nodiscard]] double rate() const { return rates_[kept_.front()]; }

 private:
  const std::vector<double>& rates_;
  double sign_;
  // Indices of the windows that are or may become the extreme. Their rates increase (or decrease), so the
  // first of them is the extreme now.
  std::deque<std::size_t> kept_;
};

// Returns the longest sequence of windows whose rates agree within kAgreement. The range [first, end) moves
// over all windows. Each window is added once and removed at most once, so the cost is linear.
Windows longest_agreeing(const std::vector<double>& rates) {
  Windows best;
  MovingExtreme slowest(rates, false), fastest(rates, true);
  std::size_t first = 0;
  for (std::size_t end = 1; end <= rates.size(); ++end) {
    slowest.add(end - 1);
    fastest.add(end - 1);
    const auto agree = [&] {
      return slowest.rate() > 0 && fastest.rate() - slowest.rate() <= SteadyRate::kAgreement * fastest.rate();
    };
    while (first < end && !agree()) {
      slowest.remove_before(++first);
      fastest.remove_before(first);
    }
    if (first < end && end - first >= best.end - best.first)
      best = {first, end, slowest.rate(), fastest.rate()};
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
