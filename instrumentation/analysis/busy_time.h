// When something of a kind was going on, whatever the lanes: unions of slices over lanes, as sorted disjoint
// ranges, and what two of them share.
#pragma once

#include <span>
#include <vector>

#include "instrumentation/trace/trace.h"

namespace runahead::analysis {

using Ranges = std::vector<TimeRange>;  // sorted, disjoint, none empty

[[nodiscard]] Duration total(const Ranges& ranges);
[[nodiscard]] Duration total_overlap(const Ranges& a, const Ranges& b);

// The union of the slices of `kinds` in `lanes`, clipped to `range`. O(rows of those kinds * log lanes).
[[nodiscard]] Ranges busy_ranges(std::span<const trace::Lane* const> lanes, trace::SliceKinds kinds,
                                 TimeRange range);

// Adds one range to a union, in its place. O(1) at the end, else O(n).
void add_range(Ranges& ranges, TimeRange added);

}  // namespace runahead::analysis
