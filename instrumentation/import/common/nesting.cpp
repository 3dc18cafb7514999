#include "instrumentation/import/common/nesting.h"

#include <algorithm>
#include <utility>

#include "instrumentation/import/common/lane_ends.h"

namespace runahead::importers {
using namespace trace;
namespace {

bool comes_before(const Slice& a, const Slice& b) {
  return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
}

void close(Slice& slice, Timestamp end_of_trace, NestedSlices& out) {
  if (slice.end == kNeverClosed) {
    slice.end = std::max(slice.begin, end_of_trace);
    slice.flags |= kSliceUnfinished;
    ++out.unfinished;
  } else if (slice.end < slice.begin) {
    slice.end = slice.begin;
    ++out.backwards;
  }
}

}  // namespace

NestedSlices nest_slices(TrackId track, std::vector<Slice> slices, Timestamp end_of_trace,
                         std::size_t most_lanes) {
  NestedSlices out;
  bool sorted = true;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    close(slices[i], end_of_trace, out);
    sorted = sorted && (i == 0 || !comes_before(slices[i], slices[i - 1]));
  }
  if (!sorted) std::stable_sort(slices.begin(), slices.end(), comes_before);
  LaneEnds ends;
  for (const Slice& slice : slices) {
    const auto [lane, overlaps] = place_of_slice(ends, slice.begin, slice.end);
    if (overlaps) ++out.overlapping;
    if (lane >= most_lanes) {
      ++out.too_deep;
      continue;
    }
    if (lane == out.lanes.size()) out.lanes.push_back({track, static_cast<std::uint32_t>(lane), {}});
    // Most slices are on lane 0, so it gets room for all slices. Reserved memory that is never written costs
    // nothing.
    if (lane == 0 && out.lanes[0].rows.empty()) out.lanes[0].rows.reserve(slices.size());
    out.lanes[lane].rows.push_back(slice);
    ends.set(lane, slice.end);
  }
  return out;
}

}  // namespace runahead::importers
