// Tests that the simulated cuBLAS computes what cuBLAS's documentation says, in all ways of storing the
// operands.
#include <cublas_v2.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/support/random.h"

namespace runahead::host_cuda {
namespace {

TEST(SimulatedCublas, GivesTheProductByItsDefinition) {
  runahead::testing::Random random;
  (void)cudaSetDevice(0);
  cudaStream_t stream = nullptr;
  cublasHandle_t handle = nullptr;
  (void)cudaStreamCreateWithFlags(&stream, 0);
  (void)cublasCreate(&handle);
  (void)cublasSetStream(handle, stream);
  const auto size = [&] { return static_cast<int>(random.integer(1, 40)); };
  for (int round = 0; round < 40; ++round) {
    const bool ta = random.chance(0.5), tb = random.chance(0.5);
    const int m = size(), n = size(), k = size(), gap = round % 2 == 0 ? 0 : 3;
    const int lda = (ta ? k : m) + gap, ldb = (tb ? n : k) + gap, ldc = m + gap;
    const float alpha = 1.0f, beta = random.chance(0.5) ? 0.0f : 0.5f;
    const auto values = [&](int leading, int columns) {
      std::vector<float> all(static_cast<std::size_t>(leading * columns));
      for (float& value : all) value = static_cast<float>(random.real(-1, 1));
      return all;
    };
    const std::vector<float> a = values(lda, ta ? m : k), b = values(ldb, tb ? k : n), old = values(ldc, n);
    std::vector<float> c = old;
    ASSERT_EQ(cublasSgemm(handle, ta ? CUBLAS_OP_T : CUBLAS_OP_N, tb ? CUBLAS_OP_T : CUBLAS_OP_N, m, n, k,
                          &alpha, a.data(), lda, b.data(), ldb, &beta, c.data(), ldc),
              CUBLAS_STATUS_SUCCESS);
    (void)cudaStreamSynchronize(stream);
    const auto at = [](const std::vector<float>& matrix, int leading, int i, int j) {
      return static_cast<double>(matrix[static_cast<std::size_t>(j * leading + i)]);
    };
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < n; ++j) {
        double sum = static_cast<double>(beta) * at(old, ldc, i, j);
        for (int x = 0; x < k; ++x)
          sum += (ta ? at(a, lda, x, i) : at(a, lda, i, x)) * (tb ? at(b, ldb, j, x) : at(b, ldb, x, j));
        ASSERT_NEAR(at(c, ldc, i, j), sum, 1e-5)
            << i << ", " << j << " of " << m << " x " << n << ", k " << k;
      }
    }
  }
  const float one = 1.0f;
  EXPECT_EQ(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, &one, 3, &one, 4, &one, nullptr, 4),
            CUBLAS_STATUS_INVALID_VALUE);
  (void)cublasDestroy(handle);
  (void)cudaStreamDestroy(stream);
}

}  // namespace
}  // namespace runahead::host_cuda
