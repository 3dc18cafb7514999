#include "instrumentation/predict/load_times.h"

#include <algorithm>
#include <utility>

#include "instrumentation/trace/lane_reader.h"

namespace runahead::predict {

namespace {

std::vector<TimeRange> read_loads(const trace::Trace& trace, TrackId track) {
  std::vector<TimeRange> all;
  for (const trace::Lane& lane : trace.track(track).lanes) {
    trace::LaneReader reader(lane);
    for (std::uint64_t row = lane.first_row(); row < lane.end_row(); ++row) {
      const trace::Slice slice = reader.slice(row);
      if (slice.kind == trace::SliceKind::kZone && loads_data(trace.string(slice.name)))
        all.push_back({slice.begin, slice.end});
    }
  }
  return all;
}

}  // namespace

LoadTimes::LoadTimes(const trace::Trace& trace, TrackId track) : LoadTimes(read_loads(trace, track)) {}

LoadTimes::LoadTimes(std::vector<TimeRange> all) {
  std::ranges::sort(all, {}, &TimeRange::begin);
  for (const TimeRange& load : all) {
    if (!loads_.empty() && load.begin <= loads_.back().end) {
      loads_.back().end = std::max(loads_.back().end, load.end);
    } else {
      loads_.push_back(load);
    }
  }
}

Duration LoadTimes::within(TimeRange range) const {
  if (range.empty()) return {};
  Duration sum{};
  auto load = std::ranges::upper_bound(loads_, range.begin, {}, &TimeRange::end);
  for (; load != loads_.end() && load->begin < range.end; ++load)
    sum += std::min(load->end, range.end) - std::max(load->begin, range.begin);
  return sum;
}

}  // namespace runahead::predict
