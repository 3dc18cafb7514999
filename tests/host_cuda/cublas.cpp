// The simulated cuBLAS: a matrix product as cuBLAS defines it, with matrices in column-major order. If the
// matrices have no gaps between their columns, the host's product computes it, because tests compare its bits
// with the cpu's.
#include <cublas_v2.h>

#include <cstdint>
#include <vector>

#include "engine/array/host_arithmetic.h"
#include "tests/host_cuda/runtime.h"

struct cublasContext {
  cudaStream_t stream = nullptr;
};

namespace runahead::host_cuda {
namespace {

// op(matrix), which has `rows` rows, with its columns one after the other.
std::vector<float> columns_of(const float* matrix, int leading, bool transposed, int rows, int columns) {
  std::vector<float> all(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
  std::size_t at = 0;
  for (std::int64_t j = 0; j < columns; ++j) {
    for (std::int64_t i = 0; i < rows; ++i)
      all[at++] = transposed ? matrix[i * leading + j] : matrix[j * leading + i];
  }
  return all;
}

struct Sgemm {
  bool transpose_a, transpose_b;
  int m, n, k;
  float alpha;
  const float* a;
  int lda;
  const float* b;
  int ldb;
  float beta;
  float* c;
  int ldc;

  // A row-major matrix, read in column-major order, is its transpose: C' = op(B)' op(A)'.
  [[nodiscard]] bool compute_on_host() const {
    const bool tight = lda == (transpose_a ? k : m) && ldb == (transpose_b ? n : k) && ldc == m;
    if (!tight || alpha != 1.0f || k == 0) return false;
    const engine::MatrixProduct product{
        .m = n, .n = m, .k = k, .transpose_a = transpose_b, .transpose_b = transpose_a, .beta = beta};
    engine::host_arithmetic().multiply(product, b, a, c);
    return true;
  }

  void operator()() const {
    if (compute_on_host()) return;
    const std::vector<float> left = columns_of(a, lda, transpose_a, m, k),
                             right = columns_of(b, ldb, transpose_b, k, n);
    const auto rows = static_cast<std::size_t>(m);
    for (std::size_t j = 0; j < static_cast<std::size_t>(n); ++j) {
      std::vector<float> sum(rows, 0.0f);
      for (std::size_t x = 0; x < static_cast<std::size_t>(k); ++x) {
        const float factor = right[j * static_cast<std::size_t>(k) + x];
        for (std::size_t i = 0; i < rows; ++i) sum[i] += left[x * rows + i] * factor;
      }
      float* const out = c + j * static_cast<std::size_t>(ldc);
      // with beta = 0 the old values are not read: they may be NaN
      for (std::size_t i = 0; i < rows; ++i) out[i] = alpha * sum[i] + (beta == 0.0f ? 0.0f : beta * out[i]);
    }
  }
};

}  // namespace
}  // namespace runahead::host_cuda

const char* cublasGetStatusString(cublasStatus_t status) {
  return status == CUBLAS_STATUS_INVALID_VALUE
             ? "an unsupported value or parameter was passed to the function"
             : "the function failed to launch on the GPU";
}
cublasStatus_t cublasCreate(cublasHandle_t* handle) {
  *handle = new cublasContext;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy(cublasHandle_t handle) {
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSgemm(cublasHandle_t handle, cublasOperation_t how_a, cublasOperation_t how_b, int m,
                           int n, int k, const float* alpha, const float* a, int lda, const float* b, int ldb,
                           const float* beta, float* c, int ldc) {
  const bool ta = how_a == CUBLAS_OP_T, tb = how_b == CUBLAS_OP_T;
  const auto at_least = [](int size) { return size > 1 ? size : 1; };
  if (m < 0 || n < 0 || k < 0 || lda < at_least(ta ? k : m) || ldb < at_least(tb ? n : k) ||
      ldc < at_least(m))
    return CUBLAS_STATUS_INVALID_VALUE;
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  const runahead::host_cuda::Sgemm product{ta, tb, m, n, k, *alpha, a, lda, b, ldb, *beta, c, ldc};
  const cudaError_t status = runahead::host_cuda::put_kernel("sgemm", handle->stream, [product] {
    product();
    return std::string();
  });
  return status == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}
