// Finds a slice of a track by its begin, on any of the track's lanes.
#pragma once

#include <cstdint>
#include <optional>

#include "instrumentation/trace/trace.h"

namespace runahead::trace {

struct SlicePlace {
  std::uint32_t depth = 0;
  std::uint64_t row = 0;
};

// Returns the first slice, from the lane of the lowest depth on, that begins at `t`, and for which
// matches(slice) is true. nullopt: there is none, or the trace does not have the track. O(lanes * log n).
template <typename Matches>
[[nodiscard]] std::optional<SlicePlace> find_slice_beginning_at(const Trace& trace, TrackId track,
                                                                Timestamp t, Matches matches) {
  if (raw(track) >= trace.tracks().size()) return std::nullopt;
  const std::vector<Lane>& lanes = trace.track(track).lanes;
  for (std::uint32_t depth = 0; depth < lanes.size(); ++depth) {
    const Lane& lane = lanes[depth];
    for (std::uint64_t row = lane.first_row_beginning_from(t); row < lane.end_row() && lane.begin(row) == t;
         ++row) {
      if (matches(lane.slice(row))) return SlicePlace{depth, row};
    }
  }
  return std::nullopt;
}

}  // namespace runahead::trace
