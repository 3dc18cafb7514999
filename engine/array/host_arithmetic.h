// Arithmetic on the host: for cpu, and for virtual devices, whose values the host computes. Products by
// OpenBLAS. A call returns when its values are there. Internal to engine/array.
#pragma once

#include "engine/device/arithmetic.h"

namespace runahead::engine {

// One for all; any thread.
[[nodiscard]] Arithmetic& host_arithmetic();

}  // namespace runahead::engine
