// Slices from begins and ends that were written apart (B and E of a thread; b and e, S and F of an async id).
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
  StringId name{};  // of an end: empty ends the innermost
  ArgsId args = kNoArgs;
  SliceKind kind = SliceKind::kZone;
  bool end = false;
};

// Pairs the edges of one stack, given in the order of the file, and appends the slices to `out`, in no order.
//   - Edges take effect by time; at one time in the order of the file.
//   - An end with a name ends the innermost open slice of that name. Slices inside it that began earlier than
//     this end with it, flagged unfinished and counted; those that begin at that very moment go on.
//   - An end without a slice to end is counted (kUnmatchedEnd).
//   - A begin without an end gives a slice that ends at kNeverClosed, for nest_slices() to close and count.
//   - The arguments of an end are added to those of its begin.
// REQUIRES: `names` is flushed. O(n log n), and O(depth) for an end.
void pair_edges(std::vector<SliceEdge>& edges, ImportNames& names, std::vector<Slice>& out,
                LossCounts& losses);

}  // namespace runahead::importers
