// The part of the fold that handles lanes whose blocks are in a file. Internal to the fold.
#pragma once

#include <cstdint>
#include <vector>

#include "instrumentation/trace/fold.h"

namespace runahead::trace {

// The largest multiple of `step` that is not above `value`: the start of the span that contains `value`.
[[nodiscard]] std::int64_t floor_to(std::int64_t value, std::int64_t step);

// Appends the runs of the lane to `out`, by the rules of fold_lane().
void fold_from_file(const Lane& lane, TimeRange range, std::int64_t span_ns, std::vector<Run>& out);

}  // namespace runahead::trace
