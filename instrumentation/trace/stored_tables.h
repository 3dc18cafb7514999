// StoredTables: the tables of an opened recording, whose blocks stay in the file. Trace::adopt() takes them.
#pragma once

#include "instrumentation/trace/allocation_table.h"
#include "instrumentation/trace/dependency_table.h"
#include "instrumentation/trace/flow_table.h"
#include "instrumentation/trace/instant_table.h"
#include "instrumentation/trace/op_table.h"

namespace runahead::trace {

struct StoredTables {
  StoredBlocks<OpBlock> ops;
  StoredBlocks<FlowBlock> flows;
  StoredBlocks<DependencyBlock> dependencies;
  StoredBlocks<AllocationBlock> allocations;
  StoredBlocks<InstantBlock> instants;
};

}  // namespace runahead::trace
