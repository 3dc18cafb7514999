// Arithmetic on the host: for cpu and for virtual devices, because the host computes the values of both.
// OpenBLAS computes the matrix products. A call returns when its result is computed. Internal to
// engine/array.
#pragma once

#include "engine/device/arithmetic.h"

namespace runahead::engine {

// Returns the one instance that all callers share. Any thread.
[[nodiscard]] Arithmetic& host_arithmetic();

}  // namespace runahead::engine
