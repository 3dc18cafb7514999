// Computes when slices of some kinds were active on any of several lanes: the union of the slices, as sorted,
// disjoint ranges. Also computes the overlap of two unions.
#pragma once

#include <span>
#include <vector>

#include "instrumentation/trace/trace.h"

namespace runahead::analysis {

using Ranges = std::vector<TimeRange>;  // sorted, disjoint, none empty

[[nodiscard]] Duration total(const Ranges& ranges);
[[nodiscard]] Duration total_overlap(const Ranges& a, const Ranges& b);

// Returns the union of the slices of `kinds` in `lanes`, clipped to `range`. O(rows of these kinds * log
// lanes).
[[nodiscard]] Ranges busy_ranges(std::span<const trace::Lane* const> lanes, trace::SliceKinds kinds,
                                 TimeRange range);

// Adds one range to a union of ranges, and merges ranges that touch it. O(1) if the range belongs at the end
// of the union, otherwise O(n).
void add_range(Ranges& ranges, TimeRange added);

// Returns the union of ranges in any order; empty ranges do not count. O(n log n).
[[nodiscard]] Ranges union_of(std::vector<TimeRange> ranges);

}  // namespace runahead::analysis
