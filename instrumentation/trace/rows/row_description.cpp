#include "instrumentation/trace/rows/row_description.h"

namespace runahead::trace {

// Nearly every source includes row_description.h. These checks are not in the header, so that they are
// compiled only once.
static_assert(is_well_described<Slice>() && is_well_described<CounterSample>() &&
              is_well_described<Instant>() && is_well_described<OpRow>() && is_well_described<Flow>() &&
              is_well_described<Dependency>() && is_well_described<Allocation>());

}  // namespace runahead::trace
