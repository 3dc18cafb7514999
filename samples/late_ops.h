// Says by how much late ops of simulated devices may have changed a figure. Internal to samples.
#pragma once

#include <cstdint>

namespace runahead::samples {

// A figure is unreliable if late ops can have changed it by more than this ratio.
inline constexpr double kMostOfLateOps = 0.1;

// The mean time in seconds by which `late_ops` late ops may have lengthened each of `steps` steps. It is a
// lower bound: an op counts as late only if it ends engine::kLateAfter or more after its modelled end, and
// each late op is taken to be late by only kLateAfter. Each late op may lengthen a step, because the ops that
// wait for it are delayed by the same time. REQUIRES: steps > 0.
[[nodiscard]] double lengthened_s(std::int64_t late_ops, std::int64_t steps);

}  // namespace runahead::samples
