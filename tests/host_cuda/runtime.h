// What the tests and the module need of the simulated CUDA runtime beyond CUDA's own interface
// (toolkit/cuda_runtime_api.h). Streams are threads, and device memory is host memory.
//
// The runtime refuses what CUDA refuses, and also what would be a race or an error on a card (order_model.h):
// such a call is a misuse. A misuse prints one line and ends the process, except while
// HostCudaControls::keep_going is set: then the call returns cudaErrorInvalidValue, if it returns a status,
// and the misuse is counted.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/host_cuda/host_cuda.h"
#include "tests/host_cuda/order_model.h"

namespace runahead::host_cuda {

inline constexpr std::uint64_t kHostMemoryBytes = std::uint64_t{1} << 30;  // of each simulated device

[[nodiscard]] HostCudaControls& controls();
[[nodiscard]] std::string take_misuse();  // the first misuse since the last call; empty: none

// While this object lives, launches of this thread use this memory. Without it, the memory of launches is not
// checked, because a kernel's arguments do not say how many elements it uses.
class LaunchUses {
 public:
  explicit LaunchUses(std::vector<Touch> touches);
  ~LaunchUses();
  LaunchUses(const LaunchUses&) = delete;
  LaunchUses& operator=(const LaunchUses&) = delete;
};

// Puts a kernel on a stream: `run` computes it, and returns its fault (empty: none).
cudaError_t put_kernel(const char* name, cudaStream_t stream, std::function<std::string()> run);

// The card works again after break_at_launch. (A real card does not: the process has to end.)
void mend_card();

}  // namespace runahead::host_cuda
