// Opens the module librunahead_cuda.so at run time and uses it to find CUDA devices. If something is missing,
// the result contains the reason. Any thread.
#pragma once

#include "engine/device/cuda_module.h"

namespace runahead::engine {

struct CudaModule {
  RunaheadCudaDiscovery found{};  // device_count 0: `reason` says why and what to do, in one line
  // the module's functions, valid until the process ends; null: the module was not found or cannot be used
  const RunaheadCudaApi* api = nullptr;
};
// Searches for the module at each call, because the result depends on the environment (RUNAHEAD_MODULE_DIR).
[[nodiscard]] CudaModule discover_cuda();

}  // namespace runahead::engine
