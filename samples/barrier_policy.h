// What a barrier policy does to an array at a place where a step waits. Internal to samples.
#pragma once

#include "engine/array/array.h"
#include "engine/barrier.h"

namespace runahead::samples {

// Blocks as `policy` says; returns at once under none, window, ops and bytes, which act elsewhere. A value
// that is read (item, asnumpy) is dropped. The error: of the op that failed.
[[nodiscard]] Status hold(const engine::BarrierPolicy& policy, engine::Engine& engine,
                          const engine::Array& array);

}  // namespace runahead::samples
