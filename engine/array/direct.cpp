#include "engine/array/direct.h"

#include "engine/array/array_random.h"
#include "engine/array/blas.h"
#include "instrumentation/base/check.h"

namespace runahead::engine {

void direct_uniform(std::span<float> values, RandomKey key, float low, float high) {
  fill_uniform(values.data(), static_cast<std::int64_t>(values.size()), key, low, high);
}

void direct_normal(std::span<float> values, RandomKey key, float mean, float deviation) {
  fill_normal(values.data(), static_cast<std::int64_t>(values.size()), key, mean, deviation);
}

void direct_matmul(const ProductExtents& extents, std::span<const float> a, std::span<const float> b,
                   std::span<float> out) {
  RUNAHEAD_CHECK_OP(static_cast<std::int64_t>(a.size()), ==, extents.m * extents.k);
  RUNAHEAD_CHECK_OP(static_cast<std::int64_t>(b.size()), ==, extents.k * extents.n);
  RUNAHEAD_CHECK_OP(static_cast<std::int64_t>(out.size()), ==, extents.m * extents.n);
  multiply_matrices({.m = extents.m, .n = extents.n, .k = extents.k}, a.data(), b.data(), out.data());
}

}  // namespace runahead::engine
