// Private to the fold: lanes whose blocks are in a file.
#pragma once

#include <cstdint>
#include <vector>

#include "instrumentation/trace/fold.h"

namespace runahead::trace {

// The largest multiple of `step` that is not above `value`: where the span that holds it begins.
[[nodiscard]] std::int64_t floor_to(std::int64_t value, std::int64_t step);

// Appends to `out`; as fold_lane() says.
void fold_from_file(const Lane& lane, TimeRange range, std::int64_t span_ns, std::vector<Run>& out);

}  // namespace runahead::trace
