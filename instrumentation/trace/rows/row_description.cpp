#include "instrumentation/trace/rows/row_description.h"

namespace runahead::trace {

// Here and not in the header, which nearly every source includes.
static_assert(is_well_described<Slice>() && is_well_described<CounterSample>() &&
              is_well_described<Instant>() && is_well_described<OpRow>() && is_well_described<Flow>() &&
              is_well_described<Dependency>() && is_well_described<Allocation>());

}  // namespace runahead::trace
