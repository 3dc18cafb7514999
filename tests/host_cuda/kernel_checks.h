// Compares every CUDA kernel, compiled for the host, with double precision or with the host's random numbers.
#pragma once

#include <cstdint>
#include <string>

namespace runahead::host_cuda {

// Runs every primitive at the borders of blocks and on random sizes. Returns the first difference, write
// outside an output, or misuse; empty: all is right. The seed determines the sizes, the values, and the order
// of blocks and threads. REQUIRES: keep_going is set (runtime.h).
[[nodiscard]] std::string wrong_with_kernels(std::uint64_t seed);

// The names of the faults in this program's copy of the kernels; ends with null. planted_fault (grid.h)
// chooses one by its number, which begins with 1.
[[nodiscard]] const char* const* planted_faults();

}  // namespace runahead::host_cuda
