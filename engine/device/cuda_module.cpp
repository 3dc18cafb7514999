// The CUDA module: the only code here that is linked with the CUDA runtime (never with the driver library).
#include "engine/device/cuda_module.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdio>
#include <iterator>

namespace {

void say_why(cudaError_t error, RunaheadCudaDiscovery& out) {
  if (error == cudaErrorInsufficientDriver || error == cudaErrorNoDevice) {
    // The runtime gives either where there is no driver, and where there is one without a GPU.
    std::snprintf(
        out.reason, sizeof out.reason,
        "no NVIDIA driver or no GPU here (%s); install the driver and check that nvidia-smi lists a GPU",
        cudaGetErrorString(error));
  } else {
    std::snprintf(out.reason, sizeof out.reason,
                  "CUDA does not start: %s (error %d); check the driver with nvidia-smi",
                  cudaGetErrorString(error), static_cast<int>(error));
  }
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void runahead_cuda_discover(RunaheadCudaDiscovery* out) {
  *out = {};
  out->module_version = kRunaheadCudaModuleVersion;
  cudaDriverGetVersion(&out->driver_version);
  cudaRuntimeGetVersion(&out->runtime_version);
  int count = 0;
  if (const cudaError_t error = cudaGetDeviceCount(&count); error != cudaSuccess || count == 0) {
    say_why(error != cudaSuccess ? error : cudaErrorNoDevice, *out);
    return;
  }
  out->device_count = std::min(count, static_cast<int>(std::size(out->devices)));
  for (int i = 0; i < out->device_count; ++i) {
    cudaDeviceProp properties{};
    RunaheadCudaDevice& device = out->devices[i];
    if (cudaGetDeviceProperties(&properties, i) != cudaSuccess) continue;
    std::snprintf(device.name, sizeof device.name, "%s", properties.name);
    device.compute_major = properties.major;
    device.compute_minor = properties.minor;
    device.multiprocessors = properties.multiProcessorCount;
    device.memory_bytes = properties.totalGlobalMem;
  }
}
