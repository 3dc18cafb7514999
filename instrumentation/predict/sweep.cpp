#include "instrumentation/predict/sweep.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "instrumentation/base/format.h"
#include "instrumentation/base/parse_number.h"

namespace runahead::predict {
namespace {

constexpr double kNearHighest = 0.98;
constexpr std::size_t kPlotRows = 12, kPlotColumns = 60;

struct Values {
  std::string key;
  std::int64_t from = 0, to = 0;
};

Result<Values> parse(std::string_view text) {
  const std::string wrong = "a sweep is KEY=A..B, such as window=1..32; this is '" + std::string(text) + "'";
  const std::size_t equals = text.find('='), dots = text.find("..");
  if (equals == text.npos || dots == text.npos || equals == 0 || dots < equals) return Error{wrong};
  const auto from = parse_positive_bytes(text.substr(equals + 1, dots - equals - 1));
  const auto to = parse_positive_bytes(text.substr(dots + 2));
  if (!from || !to || *from > *to) return Error{wrong};
  return Values{std::string(text.substr(0, equals)), *from, *to};
}

std::vector<std::int64_t> spread(const Values& values) {
  std::vector<std::int64_t> out;
  const auto count = static_cast<std::int64_t>(kMostSweep);
  if (values.to - values.from < count) {
    for (std::int64_t value = values.from; value <= values.to; ++value) out.push_back(value);
    return out;
  }
  const auto from = static_cast<double>(values.from), to = static_cast<double>(values.to);
  const bool powers = to > 64 * from;
  for (std::int64_t i = 0; i < count; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(count - 1);
    const double value = powers ? from * std::pow(to / from, share) : from + (to - from) * share;
    out.push_back(std::clamp<std::int64_t>(std::llround(value), values.from, values.to));
  }
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

Result<Change> change_of(const std::string& key, std::int64_t value) {
  const std::string number = std::to_string(value);
  if (key == "window" || key == "ops" || key == "bytes") return parse_change("barrier=" + key + ":" + number);
  return parse_change(key + "=" + number);
}

}  // namespace

Result<std::vector<SweepPoint>> sweep(const Replay& replay, std::string_view text,
                                      const std::vector<Change>& changes) {
  const Result<Values> values = parse(text);
  if (!values) return values.error();
  std::vector<SweepPoint> out;
  for (const std::int64_t value : spread(*values)) {
    const Result<Change> change = change_of(values->key, value);
    if (!change) return change.error();
    std::vector<Change> all = changes;
    all.push_back(*change);
    Result<Prediction> prediction = replay.predict(all);
    if (!prediction) return prediction.error();
    out.push_back({*change, std::move(*prediction)});
  }
  return out;
}

Status check_sweep(std::string_view text) {
  const Result<Values> values = parse(text);
  if (!values) return values.error();
  const Result<Change> change = change_of(values->key, values->to);
  return change ? Status(Ok{}) : Status(change.error());
}

std::size_t knee_of(std::span<const RunFigures> points) {
  double highest = 0;
  for (const RunFigures& point : points) highest = std::max(highest, point.steps_per_s);
  std::size_t knee = 0;
  bool found = false;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i].steps_per_s < kNearHighest * highest) continue;
    if (!found || points[i].peak_bytes < points[knee].peak_bytes) knee = i;
    found = true;
  }
  return knee;
}

std::size_t knee_of(const std::vector<SweepPoint>& points) {
  std::vector<RunFigures> figures;
  for (const SweepPoint& point : points) {
    const Outcome& outcome = point.prediction.outcome;
    figures.push_back({.steps_per_s = outcome.steps_per_s(), .peak_bytes = outcome.total_peak_bytes()});
  }
  return knee_of(figures);
}

std::string plot(const std::vector<SweepPoint>& points, std::size_t knee) {
  double fastest = 0, most = 0;
  for (const SweepPoint& point : points) {
    fastest = std::max(fastest, point.prediction.outcome.steps_per_s());
    most = std::max(most, static_cast<double>(point.prediction.outcome.total_peak_bytes()));
  }
  if (fastest <= 0 || most <= 0) return "";
  std::vector<std::string> rows(kPlotRows, std::string(kPlotColumns, ' '));
  const auto put = [&](const SweepPoint& point, char mark) {
    const Outcome& outcome = point.prediction.outcome;
    const double x = static_cast<double>(outcome.total_peak_bytes()) / most,
                 y = outcome.steps_per_s() / fastest;
    const auto column = static_cast<std::size_t>(std::lround(x * static_cast<double>(kPlotColumns - 1)));
    const auto row = static_cast<std::size_t>(std::lround((1 - y) * static_cast<double>(kPlotRows - 1)));
    rows[row][column] = mark;
  };
  for (const SweepPoint& point : points) put(point, '*');
  put(points[knee], 'K');
  std::string out = format_rate(fastest) + "\n";
  for (const std::string& row : rows) out += "|" + row + "\n";
  out += "+" + std::string(kPlotColumns, '-') + "\n0 B, to " + format_bytes(most) +
         " of peak memory; K: the least memory within 2 % of the highest rate\n";
  return out;
}

}  // namespace runahead::predict
