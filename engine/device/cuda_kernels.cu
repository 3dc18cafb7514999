// The kernels. They are compiled without fused multiply-add (-fmad=false), so that elementwise results and
// uniform numbers have the same bits as on the host. Sums accumulate in double, in an order that depends only
// on the shape.
#include <cmath>

#include "engine/device/arithmetic.h"
#include "engine/device/cuda_kernels.h"
#include "engine/device/random_math.h"

namespace runahead::engine {
namespace {

constexpr int kThreads = 256;
constexpr int kMostBlocks = 4096;  // with more elements than threads, each thread loops over several

unsigned blocks_for(std::int64_t count) {
  const std::int64_t blocks = (count + kThreads - 1) / kThreads;
  return static_cast<unsigned>(blocks < 1 ? 1 : blocks > kMostBlocks ? kMostBlocks : blocks);
}

__device__ std::int64_t first_index() {
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ std::int64_t stride() { return static_cast<std::int64_t>(gridDim.x) * blockDim.x; }

// ---- elementwise ------------------------------------------------------------------------------------------

template <typename Function>
__global__ void each(std::int64_t count, Function function) {
  for (std::int64_t i = first_index(); i < count; i += stride()) function(i);
}

template <typename Function>
cudaError_t launch_each(std::int64_t count, cudaStream_t stream, Function function) {
  if (count <= 0) return cudaSuccess;
  each<<<blocks_for(count), kThreads, 0, stream>>>(count, function);
  return cudaGetLastError();
}

struct FillEach {
  float* out;
  float value;
  __device__ void operator()(std::int64_t i) const { out[i] = value; }
};

// All threads take the same branch, so the switch costs little: the accesses to memory take longer.
struct WithScalarEach {
  WithScalar what;
  const float* a;
  float* out;
  float s;
  __device__ void operator()(std::int64_t i) const {
    const float x = a[i];
    switch (what) {
      case WithScalar::kAdd:
        out[i] = x + s;
        break;
      case WithScalar::kSubtract:
        out[i] = x - s;
        break;
      case WithScalar::kMultiply:
        out[i] = x * s;
        break;
      case WithScalar::kDivide:
        out[i] = x / s;
        break;
      case WithScalar::kRelu:
        out[i] = x > 0.0f ? x : 0.0f;
        break;
    }
  }
};

struct OfTwoEach {
  OfTwo what;
  const float *a, *b;
  float* out;
  __device__ void operator()(std::int64_t i) const {
    const float x = a[i], y = b[i];
    switch (what) {
      case OfTwo::kAdd:
        out[i] = x + y;
        break;
      case OfTwo::kSubtract:
        out[i] = x - y;
        break;
      case OfTwo::kMultiply:
        out[i] = x * y;
        break;
      case OfTwo::kDivide:
        out[i] = x / y;
        break;
      case OfTwo::kReluGradient:
        out[i] = y > 0.0f ? x : 0.0f;
        break;
    }
  }
};

struct SubtractScaledEach {
  const float* a;
  float* out;
  float factor;
  __device__ void operator()(std::int64_t i) const { out[i] -= factor * a[i]; }
};

struct AddRowEach {
  const float *a, *row;
  float* out;
  std::int64_t columns;
  __device__ void operator()(std::int64_t i) const {
    const float add = row[i % columns];
    out[i] = a != nullptr ? a[i] + add : add;
  }
};

// ---- random numbers: one thread per four elements ---------------------------------------------------------

struct UniformEach {
  float* out;
  std::int64_t count;
  std::uint64_t seed, random_stream;
  float low, width, below_high;
  __device__ void operator()(std::int64_t block) const {
    const random_math::Words words =
        random_math::words_of(seed, random_stream, static_cast<std::uint64_t>(block));
    for (int lane = 0; lane < 4 && 4 * block + lane < count; ++lane)
      out[4 * block + lane] = random_math::uniform_of(words.at[lane], low, width, below_high);
  }
};

struct NormalEach {
  float* out;
  std::int64_t count;
  std::uint64_t seed, random_stream;
  float mean, deviation;
  __device__ void operator()(std::int64_t block) const {
    const random_math::Words words =
        random_math::words_of(seed, random_stream, static_cast<std::uint64_t>(block));
    const random_math::Pair front = random_math::normal_of(words.at[0], words.at[1]);
    const random_math::Pair back = random_math::normal_of(words.at[2], words.at[3]);
    const double z[4] = {front.first, front.second, back.first, back.second};
    for (int lane = 0; lane < 4 && 4 * block + lane < count; ++lane)
      out[4 * block + lane] = static_cast<float>(mean + deviation * z[lane]);
  }
};

cudaError_t launch_uniform(const RunaheadPrimitive& p, cudaStream_t stream) {
  const float low = p.scalar, high = p.scalar2;
  return launch_each(
      (p.count + 3) / 4, stream,
      UniformEach{p.out, p.count, p.seed, p.random_stream, low, high - low, std::nextafter(high, low)});
}

cudaError_t launch_normal(const RunaheadPrimitive& p, cudaStream_t stream) {
  return launch_each((p.count + 3) / 4, stream,
                     NormalEach{p.out, p.count, p.seed, p.random_stream, p.scalar, p.scalar2});
}

// ---- sums -------------------------------------------------------------------------------------------------

// Each thread of the block passes one value. Returns the sum of these values. The order of the additions is
// fixed, so that the sum always has the same bits.
__device__ double sum_of_block(double value) {
  __shared__ double parts[kThreads];
  parts[threadIdx.x] = value;
  __syncthreads();
  for (unsigned half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) parts[threadIdx.x] += parts[threadIdx.x + half];
    __syncthreads();
  }
  return parts[0];
}

__global__ void sum_parts_of(const float* a, std::int64_t count, double* parts) {
  double sum = 0;
  for (std::int64_t i = first_index(); i < count; i += stride()) sum += static_cast<double>(a[i]);
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) parts[blockIdx.x] = sum;
}

__global__ void sum_of_parts(const double* parts, int count, double divisor, float* out) {
  double sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i < count; i += kThreads) sum += parts[i];
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) out[0] = static_cast<float>(sum / divisor);
}

cudaError_t launch_total(const RunaheadPrimitive& p, double* parts, cudaStream_t stream) {
  const unsigned all = blocks_for(p.count), blocks = all < kSumParts ? all : kSumParts;
  sum_parts_of<<<blocks, kThreads, 0, stream>>>(p.a, p.count, parts);
  sum_of_parts<<<1, kThreads, 0, stream>>>(parts, static_cast<int>(blocks), p.divisor, p.out);
  return cudaGetLastError();
}

// Each block sums 32 adjacent columns, with 8 threads per column.
constexpr int kColumns = 32, kRowThreads = kThreads / kColumns;

__global__ void sum_down(const float* a, std::int64_t rows, std::int64_t columns, float* out) {
  __shared__ double parts[kRowThreads][kColumns];
  const std::int64_t column = static_cast<std::int64_t>(blockIdx.x) * kColumns + threadIdx.x;
  double sum = 0;
  if (column < columns) {
    for (std::int64_t r = threadIdx.y; r < rows; r += kRowThreads)
      sum += static_cast<double>(a[r * columns + column]);
  }
  parts[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y != 0 || column >= columns) return;
  for (int r = 1; r < kRowThreads; ++r) sum += parts[r][threadIdx.x];
  out[column] = static_cast<float>(sum);
}

cudaError_t launch_sum_rows(const RunaheadPrimitive& p, cudaStream_t stream) {
  if (p.columns <= 0) return cudaSuccess;
  const auto blocks = static_cast<unsigned>((p.columns + kColumns - 1) / kColumns);
  sum_down<<<blocks, dim3(kColumns, kRowThreads), 0, stream>>>(p.a, p.rows, p.columns, p.out);
  return cudaGetLastError();
}

__global__ void half_squared_errors(const float* a, const float* b, std::int64_t columns, float* out) {
  const std::int64_t begin = static_cast<std::int64_t>(blockIdx.x) * columns;
  double sum = 0;
  for (std::int64_t c = threadIdx.x; c < columns; c += kThreads) {
    const double error = static_cast<double>(b[begin + c]) - a[begin + c];
    sum += error * error;
  }
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) out[blockIdx.x] = static_cast<float>(sum / 2);
}

cudaError_t launch_half_squared_error(const RunaheadPrimitive& p, cudaStream_t stream) {
  if (p.rows <= 0) return cudaSuccess;
  half_squared_errors<<<static_cast<unsigned>(p.rows), kThreads, 0, stream>>>(p.a, p.b, p.columns, p.out);
  return cudaGetLastError();
}

}  // namespace

cudaError_t launch_kernel(const RunaheadPrimitive& p, double* sum_parts, cudaStream_t stream) {
  switch (p.kind) {
    case kRunaheadFill:
      return launch_each(p.count, stream, FillEach{p.out, p.scalar});
    case kRunaheadUniform:
      return launch_uniform(p, stream);
    case kRunaheadNormal:
      return launch_normal(p, stream);
    case kRunaheadWithScalar:
      return launch_each(p.count, stream,
                         WithScalarEach{static_cast<WithScalar>(p.what), p.a, p.out, p.scalar});
    case kRunaheadOfTwo:
      return launch_each(p.count, stream, OfTwoEach{static_cast<OfTwo>(p.what), p.a, p.b, p.out});
    case kRunaheadSubtractScaled:
      return launch_each(p.count, stream, SubtractScaledEach{p.a, p.out, p.scalar});
    case kRunaheadAddRow:
      return launch_each(p.rows * p.columns, stream, AddRowEach{p.a, p.b, p.out, p.columns});
    case kRunaheadTotal:
      return launch_total(p, sum_parts, stream);
    case kRunaheadSumRows:
      return launch_sum_rows(p, stream);
    case kRunaheadHalfSquaredError:
      return launch_half_squared_error(p, stream);
    default:
      return cudaErrorInvalidValue;
  }
}

}  // namespace runahead::engine
