// Nesting: assigns a lane to each slice of an imported track. Files of other tools have the slices of a track
// in any order and without depths. A Trace needs lanes with sorted, disjoint slices.
//
// A slice is one lane below the deepest slice that contains it. Real files have thousands of slices that
// overlap in part. Such a slice takes the first free lane below all slices that contain it. No slice is
// dropped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "instrumentation/recording/format/payload.h"
#include "instrumentation/trace/rows/batch.h"

namespace runahead::importers {
using namespace trace;

// Value of `Slice::end` in the input for a slice whose end was never seen.
inline constexpr Timestamp kNeverClosed = kNever;

// The maximum number of lanes of a track in a Trace and in a recording: one million, for a million slices at
// the same time.
inline constexpr std::size_t kMostNestedLanes = recordings::kMaxDepth;

struct NestedSlices {
  std::vector<LaneRows> lanes;    // index: depth; no lane is empty; can be used as Batch::lanes
  std::uint64_t unfinished = 0;   // number of slices that were never closed; they end at end_of_trace,
                                  // flagged kSliceUnfinished
  std::uint64_t backwards = 0;    // number of slices that ended before they began; they now have length zero
  std::uint64_t overlapping = 0;  // number of slices that overlap another slice in part; they are kept
  // number of slices that would need more than `most_lanes` lanes; they are omitted, and the caller must
  // count them
  std::uint64_t too_deep = 0;
};

// Assigns a lane to each of `slices`. All slices belong to `track`; they come in any order.
//   slices         their times are strictly between the smallest and the largest Timestamp
//   end_of_trace   the end of slices that were never closed; if such a slice begins later, its length is zero
//   most_lanes     the maximum number of lanes
// Slice a contains b if a begins no later and ends no earlier than b. If both begin at the same time, the
// longer slice contains the shorter slice, independent of their order in `slices`. If both have the same
// times, the first slice contains the second slice. A slice that begins at the time at which another slice
// ends is not inside that slice. Slices of length zero at the same time do not contain each other. A slice of
// length zero at the start of a longer slice is inside the longer slice. Deterministic: equal input in equal
// order gives equal lanes; the order matters only for ties. O(n log n), and O(n) memory for the result.
// Sorted input is not sorted again. Any thread may call this function.
[[nodiscard]] NestedSlices nest_slices(TrackId track, std::vector<Slice> slices, Timestamp end_of_trace,
                                       std::size_t most_lanes = kMostNestedLanes);

}  // namespace runahead::importers
