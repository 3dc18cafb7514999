// Pairs begin and end events to slices (B and E of a thread; b and e, S and F of an async id).
#pragma once

#include <cstdint>
#include <vector>

#include "instrumentation/import/common/import_names.h"
#include "instrumentation/trace/rows/loss.h"
#include "instrumentation/trace/rows/slice.h"

namespace runahead::importers {
using namespace trace;

struct SliceEdge {
  Timestamp at{};
  StringId name{};  // for an end: an empty name ends the innermost slice
  ArgsId args = kNoArgs;
  SliceKind kind = SliceKind::kZone;
  bool end = false;
};

// Pairs the edges of one stack and appends the slices to `out`, unsorted. The edges are given in file order.
//   - Edges take effect in the order of their times; edges of the same time in file order.
//   - An end with a name ends the innermost open slice of that name. Slices inside that slice end at the same
//     time. They are flagged as unfinished and counted. Exception: slices that begin exactly at this time
//     stay open.
//   - An end without a slice to end is counted (kUnmatchedEnd).
//   - A begin without an end gives a slice that ends at kNeverClosed. nest_slices() closes and counts it.
//   - The arguments of an end are added to those of its begin.
// REQUIRES: `names` is flushed. O(n log n); an end costs O(depth).
void pair_edges(std::vector<SliceEdge>& edges, ImportNames& names, std::vector<Slice>& out,
                LossCounts& losses);

}  // namespace runahead::importers
