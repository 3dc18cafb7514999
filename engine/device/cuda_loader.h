// Opens the module librunahead_cuda.so at run time and finds CUDA devices through it: what is missing is a
// reason. Any thread.
#pragma once

#include "engine/device/cuda_module.h"

namespace runahead::engine {

struct CudaModule {
  RunaheadCudaDiscovery found{};         // device_count 0: `reason` says why, in one line, with what to do
  const RunaheadCudaApi* api = nullptr;  // what the module does, for the rest of the process; null: no module
};
// Looks anew each time: what it finds depends on the environment (RUNAHEAD_MODULE_DIR).
[[nodiscard]] CudaModule discover_cuda();

}  // namespace runahead::engine
