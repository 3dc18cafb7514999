// Statistics of an area of the timeline: some lanes and counters, in a time range. The functions are pure;
// any thread may call them on a snapshot.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "instrumentation/trace/trace.h"

namespace runahead::analysis {

struct AreaLane {
  TrackId track = kNoTrack;
  std::uint32_t depth = 0;
  friend auto operator<=>(const AreaLane&, const AreaLane&) = default;
};
struct Area {
  TimeRange range{};
  std::vector<AreaLane> lanes;    // each lane once
  std::vector<TrackId> counters;  // each counter once
  friend bool operator==(const Area&, const Area&) = default;
};

// The slices of one name and kind. A slice counts if a part of it is in the range, or if it has no duration
// and its time is in the range. A slice that still runs counts, up to the watermark.
struct AreaName {
  std::string name;
  trace::SliceKind kind{};
  std::uint64_t count = 0;
  Duration total{};  // sum of the slices' times within the range
  Duration mean{};   // total / count
  double share = 0;  // total / AreaStatistics::total; 0 if that is 0
};
struct AreaCounter {
  TrackId counter = kNoTrack;
  struct Values {
    double min = 0, max = 0;  // as CounterSeries::extremes()
    double mean = 0;          // weighted by the time for which each value applies
  };
  std::optional<Values> values;  // nullopt: no value applies in the range
};
struct AreaStatistics {
  std::size_t tracks = 0;             // number of tracks with a lane or counter in the area
  std::vector<AreaName> names;        // the largest total first
  std::vector<AreaCounter> counters;  // in the order of Area::counters
  std::uint64_t count = 0;            // number of slices
  Duration total{};                   // sum of the times of all slices within the range
  double filled = 0;                  // total / (range * lanes), 0..1; 0 if there are no lanes
};
// Lanes and counters that the trace lacks count as empty. nullopt: cancelled. O(rows in range).
[[nodiscard]] std::optional<AreaStatistics> area_statistics(const trace::Trace& trace, const Area& area,
                                                            const std::atomic<bool>& cancel);

}  // namespace runahead::analysis
