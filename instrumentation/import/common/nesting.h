// Nesting: which lane each slice of an imported track lies on. Other tools' files give a track's slices in
// any order and without depths; a Trace wants lanes whose slices are sorted and disjoint.
//
// A slice lies one lane below the deepest slice that holds it. Slices that overlap in part, which real files
// have by the thousand, take the lowest lane that is free and below all that hold them: none is dropped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "instrumentation/recording/format/payload.h"
#include "instrumentation/trace/rows/batch.h"

namespace runahead::importers {
using namespace trace;

// In `Slice::end` of a slice that goes in: its end was never seen.
inline constexpr Timestamp kNeverClosed = kNever;

// As many lanes as a track can have (Trace, and recordings): a million slices at one moment.
inline constexpr std::size_t kMostNestedLanes = recordings::kMaxDepth;

struct NestedSlices {
  std::vector<LaneRows> lanes;    // by depth from 0, none empty: as a Batch takes them
  std::uint64_t unfinished = 0;   // were never closed: end at end_of_trace, flagged kSliceUnfinished
  std::uint64_t backwards = 0;    // ended before they began: made slices of length zero
  std::uint64_t overlapping = 0;  // lie beside a slice that they overlap in part; all are here
  std::uint64_t too_deep = 0;  // would need a lane beyond kMostNestedLanes: left out, for the caller to count
};

// Gives each of `slices`, all of `track` and in any order, its lane.
//   slices         times between, not at, the ends of what a Timestamp can say
//   end_of_trace   where slices that were never closed end; those that begin later have length zero
// What holds what: a holds b when it begins no later and ends no earlier. At one begin the longer is the
// outer one, whatever its place in `slices`; of equals (same begin and end) the one that comes first is. A
// slice that begins where another ends is beside it, not in it; so are slices of length zero at one time to
// each other, while one at the begin of a longer slice lies in that. Deterministic: the same slices in the
// same order give the same lanes, and ties alone depend on the order. O(n log n), and O(n) more memory for
// what comes out; what comes sorted is not sorted again. Any thread.
[[nodiscard]] NestedSlices nest_slices(TrackId track, std::vector<Slice> slices, Timestamp end_of_trace);

}  // namespace runahead::importers
