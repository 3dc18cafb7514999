// Applies a barrier policy at the point of a step where the policy waits for an array. Internal to samples.
#pragma once

#include "engine/array/array.h"
#include "instrumentation/base/barrier.h"

namespace runahead::samples {

// Blocks the frontend as `policy` says. Returns immediately for the policies `none`, `window`, `ops` and
// `bytes`. The policy `none` needs no wait. LiveControl and the engine apply the other three policies. For
// `item` and `asnumpy`, hold() reads values of `array` and discards them: only the wait matters. If an op has
// failed, hold() returns the error of that op.
[[nodiscard]] Status hold(const BarrierPolicy& policy, engine::Engine& engine, const engine::Array& array);

}  // namespace runahead::samples
