// The sealers of all kinds of rows. A sealer forms chunks from the rows of a recording, and writes the chunks
// and their index, so that a reader can load single chunks.
#pragma once

#include "instrumentation/recording/instant_sealer.h"
#include "instrumentation/recording/slice_sealer.h"
#include "instrumentation/recording/table_sealer.h"

namespace runahead::recordings {
using namespace trace;

struct RowSealers {
  SliceSealer slices;
  TableSealer<OpBlock> ops;
  TableSealer<FlowBlock> flows;
  TableSealer<DependencyBlock> dependencies;
  TableSealer<AllocationBlock> allocations;
  CounterSealer counters;
  InstantSealer instants;

  void set_limits(const SealerLimits& limits) {  // before any other call
    slices.set_limits(limits);
    counters.set_limits(limits);
    instants.set_limits(limits);
  }
  // Writes the remaining rows, and the entry point (Opening). REQUIRES: `read` can read every block that was
  // emitted.
  void finish(const EmitBlock& emit, const ReadBlock& read) {
    Opening opening;
    if (!slices.finish(emit, read, opening)) return;
    ops.finish(emit, opening);
    flows.finish(emit, opening);
    dependencies.finish(emit, opening);
    allocations.finish(emit, opening);
    counters.finish(emit, read, opening);
    instants.finish(emit, read, opening);
    emit(BlockKind::kOpening, encode_opening(opening));
  }
};

}  // namespace runahead::recordings
