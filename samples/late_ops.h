// What late ops of simulated devices do to a figure. Internal to samples.
#pragma once

#include <cstdint>

namespace runahead::samples {

// A figure is unreliable if late ops can have changed it by more than this share.
inline constexpr double kMostOfLateOps = 0.1;

// Seconds by which `late_ops` late ops may have lengthened each of `steps` steps, or more: an op is late
// from engine::kLateAfter on, and what waits for it is later by as much. REQUIRES: steps > 0.
[[nodiscard]] double lengthened_s(std::int64_t late_ops, std::int64_t steps);

}  // namespace runahead::samples
