// Applies a barrier policy to an array, where a step waits. Internal to samples.
#pragma once

#include "engine/array/array.h"
#include "engine/barrier.h"

namespace runahead::samples {

// Blocks as `policy` says. Returns immediately for none, window, ops and bytes, because other code applies
// these. The barriers item and asnumpy read values of `array`; hold() discards these values. Error: the error
// of the op that failed.
[[nodiscard]] Status hold(const engine::BarrierPolicy& policy, engine::Engine& engine,
                          const engine::Array& array);

}  // namespace runahead::samples
