// The kernels of the CUDA module: each puts one primitive on a stream and returns what the launch said.
// Internal to the module.
#pragma once

#include <cuda_runtime_api.h>

#include "engine/device/cuda_module.h"

namespace runahead::engine {

// Room for the parts of a sum, in the memory of the device; one for each stream, as its kernels run one after
// the other.
inline constexpr int kSumParts = 1024;
inline constexpr std::size_t kSumPartsBytes = kSumParts * sizeof(double);

// All but products, which are cuBLAS's.
[[nodiscard]] cudaError_t launch_kernel(const RunaheadCudaPrimitive& primitive, double* sum_parts,
                                        cudaStream_t stream);

}  // namespace runahead::engine
