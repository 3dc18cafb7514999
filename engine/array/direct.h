// The operators' arithmetic without an engine: each function computes on the calling thread and returns when
// its result is complete. Used as a reference for the time and the values of an engine's ops. Any thread.
#pragma once

#include <cstdint>
#include <span>

#include "engine/array/operators.h"

namespace runahead::engine {

// Fill `values` with the values of uniform(context, {values.size()}, key, low, high) or of normal(), bit for
// bit.
void direct_uniform(std::span<float> values, RandomKey key, float low = 0.0f, float high = 1.0f);
void direct_normal(std::span<float> values, RandomKey key, float mean = 0.0f, float deviation = 1.0f);

struct ProductExtents {
  std::int64_t m = 0, k = 0, n = 0;
};
// out (m, n) = a (m, k) x b (k, n), row-major. Makes the same BLAS call as matmul()'s op. Therefore the
// result has the same bits as on devices that compute on the host. REQUIRES: the spans have these extents.
void direct_matmul(const ProductExtents& extents, std::span<const float> a, std::span<const float> b,
                   std::span<float> out);

}  // namespace runahead::engine
