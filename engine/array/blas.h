// The matrix product on the host. It uses OpenBLAS if the build found it, otherwise a blocked loop. Internal
// to engine/array.
#pragma once

#include <cstddef>

#include "engine/device/arithmetic.h"

namespace runahead::engine {

// c = op(a) x op(b) + beta * c; row-major, dense. Gives the same bits for the same sizes and values on any
// thread, as long as the number of BLAS threads is the same.
void multiply_matrices(const MatrixProduct& product, const float* a, const float* b, float* c);

// Sets the number of threads for one product. The default is 1: then an op uses only the thread of its
// worker. OpenBLAS has one such setting for the whole process. Any thread, but not while products run.
void set_blas_threads(int threads);

// Returns the smallest address space, in bytes, in which a program can run. Each thread of OpenBLAS maps a
// buffer. If the system refuses the memory, that thread retries forever. Every thread that waits for it then
// hangs too, even at the program's end. 0: OpenBLAS starts no threads.
[[nodiscard]] std::size_t least_address_bytes();

}  // namespace runahead::engine
