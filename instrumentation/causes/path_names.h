// The critical path by name and by step.
#pragma once

#include "instrumentation/causes/critical_path.h"

namespace runahead::causes {

// Fills `names`, `more_names`, `more_time` and `steps` of the path from its segments. O(segments * log n +
// host slices that the path passes).
void name_path(const Execution& execution, const Steps& steps, CriticalPath& path);

}  // namespace runahead::causes
