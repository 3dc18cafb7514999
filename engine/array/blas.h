// The matrix product on the host: OpenBLAS where it was found, else a blocked loop. Internal to engine/array.
#pragma once

#include <cstddef>

#include "engine/device/arithmetic.h"

namespace runahead::engine {

// c = op(a) x op(b) + beta * c; row-major, dense. The same bits for the same sizes and values on any thread,
// as long as the number of BLAS threads is the same.
void multiply_matrices(const MatrixProduct& product, const float* a, const float* b, float* c);

// Threads that one product may use; 1 until told otherwise, so that an op is one worker's work. Process-wide
// (it is OpenBLAS's own setting); any thread, but not while products run.
void set_blas_threads(int threads);

// The address space below which a program must not run: each thread that OpenBLAS has started maps a buffer
// of its own, and tries for ever where the system refuses; so does whoever waits for that thread, at the
// program's end too. 0: it starts none.
[[nodiscard]] std::size_t least_address_bytes();

}  // namespace runahead::engine
