// Pairs begin and end events, and makes a slice of each pair. The events have the phases B and E (of a
// thread), or b and e, or S and F (of an asynchronous id).
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
  StringId name{};  // an end with an empty name ends the innermost open slice
  ArgsId args = kNoArgs;
  SliceKind kind = SliceKind::kZone;
  bool end = false;
};

// Pairs the edges (begins and ends) of one thread or of one asynchronous id, and appends the slices to `out`,
// unsorted. `edges` are in file order.
//   - Edges take effect in the order of their times; edges of the same time in file order.
//   - An end with a name ends the innermost open slice of that name. Slices inside that slice end at the same
//     time. They are flagged as unfinished and counted. Exception: slices that begin at exactly the time of
//     the end stay open.
//   - An end that finds no open slice to end is counted (kUnmatchedEnd).
//   - A begin without an end gives a slice that ends at kNeverClosed. nest_slices() closes and counts it.
//   - The arguments of an end are added to the arguments of its begin.
// REQUIRES: `names` is flushed. Costs O(n log n) for n edges, and O(depth) for each end.
void pair_edges(std::vector<SliceEdge>& edges, ImportNames& names, std::vector<Slice>& out,
                LossCounts& losses);

}  // namespace runahead::importers
