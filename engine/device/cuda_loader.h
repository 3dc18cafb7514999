// Finds CUDA devices through the module librunahead_cuda.so, opened at run time: what is missing is a reason.
#pragma once

#include <string>

#include "engine/device/cuda_module.h"

namespace runahead::engine {

// What the module found. device_count 0: `reason` says why, in one line, with what to do.
[[nodiscard]] RunaheadCudaDiscovery discover_cuda();

}  // namespace runahead::engine
