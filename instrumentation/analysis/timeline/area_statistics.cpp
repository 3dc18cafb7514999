#include "instrumentation/analysis/timeline/area_statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "instrumentation/trace/lane_reader.h"
#include "instrumentation/trace/row_reader.h"

namespace runahead::analysis {
namespace {

using trace::Lane;
using trace::Slice;
using trace::Trace;

constexpr std::uint64_t kRowsBetweenChecks = 4096;  // number of rows between two checks of `cancel`

struct Sum {
  std::uint64_t count = 0;
  Duration total{};
};

// Adds up the slices of an area, by name and kind.
class AreaSlices {
 public:
  AreaSlices(const Trace& trace, const Area& area, const std::atomic<bool>& cancel)
      : trace_(trace), area_(area), cancel_(cancel) {}

  // Returns false if cancelled.
  bool add_all() {
    for (const AreaLane& at : area_.lanes) {
      if (raw(at.track) >= trace_.tracks().size()) continue;
      const std::vector<Lane>& lanes = trace_.track(at.track).lanes;
      if (at.depth < lanes.size() && !add_lane(lanes[at.depth])) return false;
    }
    const std::set<AreaLane> lanes(area_.lanes.begin(), area_.lanes.end());
    for (const trace::OpenSlice& open : trace_.open_slices()) {
      if (!lanes.contains({open.track, open.depth})) continue;
      Slice slice = open.slice;
      slice.end = std::max(slice.begin, trace_.watermark());
      add(slice);
    }
    return true;
  }

  [[nodiscard]] std::vector<AreaName> names() const {
    // In a merged trace, two StringIds may have the same text. Their slices count under one name.
    std::map<std::pair<std::string_view, trace::SliceKind>, Sum> by_name;
    for (const auto& [key, sum] : sums_) {
      Sum& all = by_name[{trace_.string(StringId{static_cast<std::uint32_t>(key >> 8)}),
                          static_cast<trace::SliceKind>(key & 0xff)}];
      all.count += sum.count;
      all.total += sum.total;
    }
    std::vector<AreaName> out;
    for (const auto& [key, sum] : by_name) {
      out.push_back({.name = std::string(key.first),
                     .kind = key.second,
                     .count = sum.count,
                     .total = sum.total,
                     .mean = sum.total / static_cast<std::int64_t>(sum.count)});
    }
    std::ranges::stable_sort(out, std::ranges::greater{}, &AreaName::total);
    return out;
  }

 private:
  bool add_lane(const Lane& lane) {
    const TimeRange range = area_.range;
    std::uint64_t row = lane.first_row_ending_after(range.begin);
    // Slices without a duration at the begin of the range come before this row.
    while (row > lane.first_row() && lane.begin(row - 1) == range.begin) --row;
    const std::uint64_t last = std::max(row, lane.first_row_beginning_from(range.end));
    trace::LaneReader reader(lane);
    for (std::uint64_t rows = 1; row < last; ++row, ++rows) {
      if (rows % kRowsBetweenChecks == 0 && cancel_.load(std::memory_order_relaxed)) return false;
      add(reader.slice(row));
    }
    return !cancel_.load(std::memory_order_relaxed);
  }

  void add(const Slice& slice) {
    const TimeRange range = area_.range;
    const Timestamp begin = std::max(slice.begin, range.begin), end = std::min(slice.end, range.end);
    const bool moment = slice.begin == slice.end && range.contains(slice.begin);
    if (end <= begin && !moment) return;
    Sum& sum = sums_[std::uint64_t{raw(slice.name)} << 8 | static_cast<std::uint64_t>(slice.kind)];
    ++sum.count;
    sum.total += end - begin;
  }

  const Trace& trace_;
  const Area& area_;
  const std::atomic<bool>& cancel_;
  std::unordered_map<std::uint64_t, Sum> sums_;  // key: name and kind
};

// Returns the mean of the values that apply in `range`, weighted by time. A NaN does not count. nullopt: no
// value applies for any time.
std::optional<double> mean_over_time(const trace::CounterSeries& series, TimeRange range,
                                     const std::atomic<bool>& cancel) {
  trace::CounterReader reader(series);
  std::uint64_t row = series.first_row_from(range.begin);
  // NaN: no value applies yet
  double value =
      row > series.first_row() ? reader.sample(row - 1).value : std::numeric_limits<double>::quiet_NaN();
  Timestamp since = range.begin;
  double sum = 0, weight = 0;
  const auto end_value = [&](Timestamp end) {
    if (!std::isnan(value) && end > since) {
      const auto length = static_cast<double>(ns_from(end - since));
      sum += value * length;
      weight += length;
    }
    since = end;
  };
  for (; row < series.end_row(); ++row) {
    if (row % kRowsBetweenChecks == 0 && cancel.load(std::memory_order_relaxed)) return std::nullopt;
    const trace::CounterSample sample = reader.sample(row);
    if (sample.at >= range.end) break;
    end_value(sample.at);
    value = sample.value;
  }
  end_value(range.end);
  return weight > 0 ? std::optional(sum / weight) : std::nullopt;
}

// A value applies until the end of the trace at most: later values are not known.
AreaCounter counter_in(const Trace& trace, TrackId id, TimeRange range, const std::atomic<bool>& cancel) {
  AreaCounter out{.counter = id};
  if (raw(id) >= trace.tracks().size()) return out;
  range.end = std::min(range.end, std::max(trace.extent().end, trace.watermark()));
  const trace::CounterSeries& series = trace.track(id).counter;
  if (range.empty() || series.empty()) return out;
  const auto extremes = series.extremes(range);
  const auto mean = mean_over_time(series, range, cancel);
  if (extremes && mean) out.values = AreaCounter::Values{extremes->min, extremes->max, *mean};
  return out;
}

std::size_t track_count(const Area& area) {
  std::set<TrackId> tracks(area.counters.begin(), area.counters.end());
  for (const AreaLane& lane : area.lanes) tracks.insert(lane.track);
  return tracks.size();
}

}  // namespace

std::optional<AreaStatistics> area_statistics(const Trace& trace, const Area& area,
                                              const std::atomic<bool>& cancel) {
  AreaSlices slices(trace, area, cancel);
  if (!slices.add_all()) return std::nullopt;
  AreaStatistics out{.tracks = track_count(area), .names = slices.names()};
  for (const AreaName& name : out.names) {
    out.count += name.count;
    out.total += name.total;
  }
  const auto seconds = [](Duration time) { return std::chrono::duration<double>(time).count(); };
  if (out.total > Duration{}) {
    for (AreaName& name : out.names) name.share = seconds(name.total) / seconds(out.total);
  }
  const double room = seconds(area.range.duration()) * static_cast<double>(area.lanes.size());
  if (room > 0) out.filled = seconds(out.total) / room;
  for (const TrackId counter : area.counters) {
    out.counters.push_back(counter_in(trace, counter, area.range, cancel));
    if (cancel.load(std::memory_order_relaxed)) return std::nullopt;
  }
  return out;
}

}  // namespace runahead::analysis
