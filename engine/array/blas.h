// The matrix product on the host. It uses OpenBLAS if the build found it, otherwise a blocked loop. Internal
// to engine/array.
#pragma once

#include <cstddef>

#include "engine/device/arithmetic.h"

namespace runahead::engine {

// c = op(a) x op(b) + beta * c, where op(x) is x or x transposed (see MatrixProduct). The matrices are
// row-major and dense. Gives the same bits for the same sizes and values on any thread, as long as the number
// of BLAS threads is the same.
void multiply_matrices(const MatrixProduct& product, const float* a, const float* b, float* c);

// Sets the number of threads that compute one product. The default is 1: then an op uses only the thread of
// its worker. The setting applies to the whole process. Any thread may call this, but not while products run.
void set_blas_threads(int threads);

// Returns the bytes of address space that a program with OpenBLAS's threads needs. If the limit (ulimit -v)
// is lower, the program must not run: each thread of OpenBLAS maps a buffer, and if the system refuses the
// memory, the thread retries forever. Every thread that waits for this thread then hangs too, even at the
// program's end. 0: OpenBLAS starts no threads, so any limit is enough.
[[nodiscard]] std::size_t least_address_bytes();

}  // namespace runahead::engine
