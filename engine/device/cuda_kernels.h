// The kernels of the CUDA module. Each function puts one primitive on a stream and returns the status of the
// launch. Internal to the module.
#pragma once

#include <cuda_runtime_api.h>

#include "engine/device/device_module.h"

namespace runahead::engine {

// A sum over an array first computes up to kSumParts partial sums, in device memory. The kernels of a stream
// run one after the other, so each stream needs memory for only one array's partial sums.
inline constexpr int kSumParts = 1024;
inline constexpr std::size_t kSumPartsBytes = kSumParts * sizeof(double);

// Launches any primitive except matrix products, which cuBLAS computes.
[[nodiscard]] cudaError_t launch_kernel(const RunaheadPrimitive& primitive, double* sum_parts,
                                        cudaStream_t stream);

}  // namespace runahead::engine
