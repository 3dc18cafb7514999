#include "engine/array/blas.h"

#include <algorithm>
#include <atomic>

#if RUNAHEAD_HAVE_OPENBLAS
#include <cblas.h>
// This function exists only in builds of OpenBLAS that use its own threads. No header declares it. It is a
// weak symbol: in other builds its address is null.
extern "C" int blas_thread_shutdown_() __attribute__((weak));
#endif

namespace runahead::engine {

#if RUNAHEAD_HAVE_OPENBLAS

namespace {
// True once set_blas_threads() has told OpenBLAS how many threads to use. Any thread that multiplies reads
// and writes it.
std::atomic<bool> threads_set{false};

void set_one_thread_at_first() {
  if (threads_set.load(std::memory_order_acquire)) return;  // pairs with the release in set_blas_threads()
  set_blas_threads(1);                                      // harmless if two threads both make this call
}
}  // namespace

void set_blas_threads(int threads) {
  openblas_set_num_threads(std::max(1, threads));
  // OpenBLAS starts its threads before it needs them. An idle thread yields in a loop for about 30 ms before
  // it sleeps, which takes time from other threads on the same core. Therefore, if one thread is enough, the
  // threads are ended here. OpenBLAS starts new threads if it needs them later.
  if (threads <= 1 && blas_thread_shutdown_ != nullptr) blas_thread_shutdown_();
  threads_set.store(true, std::memory_order_release);
}

std::size_t least_address_bytes() {
  // kBuffer: the bytes that each thread of OpenBLAS maps (BUFFER_SIZE in OpenBLAS's common_x86_64.h).
  // kProgram: enough for the program with its libraries, which maps about 80 MiB.
  constexpr std::size_t kBuffer = std::size_t{128} << 20, kProgram = std::size_t{128} << 20;
  if (blas_thread_shutdown_ == nullptr) return 0;
  return kProgram + kBuffer * static_cast<std::size_t>(std::max(0, openblas_get_num_threads() - 1));
}

void multiply_matrices(const MatrixProduct& p, const float* a, const float* b, float* c) {
  set_one_thread_at_first();
  cblas_sgemm(CblasRowMajor, p.transpose_a ? CblasTrans : CblasNoTrans,
              p.transpose_b ? CblasTrans : CblasNoTrans, static_cast<int>(p.m), static_cast<int>(p.n),
              static_cast<int>(p.k), 1.0f, a, static_cast<int>(p.transpose_a ? p.m : p.k), b,
              static_cast<int>(p.transpose_b ? p.k : p.n), p.beta, c, static_cast<int>(p.n));
}

#else

void set_blas_threads(int) {}
std::size_t least_address_bytes() { return 0; }

void multiply_matrices(const MatrixProduct& p, const float* a, const float* b, float* c) {
  const std::int64_t a_row = p.transpose_a ? 1 : p.k, a_column = p.transpose_a ? p.m : 1;
  const std::int64_t b_row = p.transpose_b ? 1 : p.n, b_column = p.transpose_b ? p.k : 1;
  for (std::int64_t i = 0; i < p.m * p.n; ++i) c[i] = p.beta == 0.0f ? 0.0f : p.beta * c[i];
  // a block of b has 64 x 64 floats (16 KiB), so it fits into a first-level cache
  constexpr std::int64_t kBlock = 64;
  for (std::int64_t k0 = 0; k0 < p.k; k0 += kBlock) {
    const std::int64_t k1 = std::min(p.k, k0 + kBlock);
    for (std::int64_t j0 = 0; j0 < p.n; j0 += kBlock) {
      const std::int64_t j1 = std::min(p.n, j0 + kBlock);
      for (std::int64_t i = 0; i < p.m; ++i) {
        for (std::int64_t k = k0; k < k1; ++k) {
          const float factor = a[i * a_row + k * a_column];
          for (std::int64_t j = j0; j < j1; ++j) c[i * p.n + j] += factor * b[k * b_row + j * b_column];
        }
      }
    }
  }
}

#endif

}  // namespace runahead::engine
