// Opens the module librunahead_cuda.so at run time and finds CUDA devices through it: what is missing is a
// reason. Any thread.
#pragma once

#include <string>

#include "engine/device/cuda_module.h"

namespace runahead::engine {

// What the module found. device_count 0: `reason` says why, in one line, with what to do.
[[nodiscard]] RunaheadCudaDiscovery discover_cuda();

// What the module does; stays for the rest of the process. Null where discover_cuda() finds no device.
[[nodiscard]] const RunaheadCudaApi* cuda_api();

}  // namespace runahead::engine
