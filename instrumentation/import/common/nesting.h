// Nesting: decides on which lane each slice of an imported track lies. Files of other tools have a track's
// slices in any order and without depths. A Trace needs lanes with sorted, disjoint slices.
//
// A slice lies one lane below the deepest slice that contains it. Real files have thousands of slices that
// overlap in part. Such a slice takes the lowest free lane below all slices that contain it. No slice is
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

// The maximum number of lanes of a track in a Trace and in a recording: a million slices at the same time.
inline constexpr std::size_t kMostNestedLanes = recordings::kMaxDepth;

struct NestedSlices {
  std::vector<LaneRows> lanes;    // by depth from 0, none empty: the form that a Batch expects
  std::uint64_t unfinished = 0;   // never closed: end at end_of_trace, flagged kSliceUnfinished
  std::uint64_t backwards = 0;    // ended before they began: now slices of length zero
  std::uint64_t overlapping = 0;  // overlap another slice in part; none is left out
  // would need a lane beyond kMostNestedLanes: left out, the caller must count them
  std::uint64_t too_deep = 0;
};

// Assigns a lane to each of `slices`. All are of `track`, in any order.
//   slices         times strictly between the smallest and the largest Timestamp
//   end_of_trace   end of slices that were never closed; if they begin later they have length zero
// Slice a contains b if a begins no later and ends no earlier than b. If both begin at the same time, the
// longer one is outside, whatever their order in `slices`. If both are equal, the first one is outside. A
// slice that begins where another ends lies beside it. Slices of length zero at the same time lie beside each
// other. A slice of length zero at the begin of a longer one lies in it. Deterministic: equal input in equal
// order gives equal lanes; the order matters only for ties. O(n log n), and O(n) memory for the result.
// Sorted input is not sorted again. Any thread.
[[nodiscard]] NestedSlices nest_slices(TrackId track, std::vector<Slice> slices, Timestamp end_of_trace);

}  // namespace runahead::importers
