// Counter-based random numbers on the host (engine/device/random_math.h): each number is computed only from
// the RandomKey and its index, without other state. Therefore element i of a random stream has the same value
// on every device, and in any order of computation. Internal to engine/array.
#pragma once

#include <array>
#include <cstdint>

#include "engine/device/arithmetic.h"

namespace runahead::engine {

using PhiloxBlock = std::array<std::uint32_t, 4>;
[[nodiscard]] PhiloxBlock philox_4x32_10(PhiloxBlock counter, std::array<std::uint32_t, 2> key);

// Returns four random 32-bit words. Elements 4 * block .. 4 * block + 3 of the random stream are computed
// from them.
[[nodiscard]] PhiloxBlock random_block(RandomKey key, std::uint64_t block);

// Fill `values` with elements 0 .. count - 1 of the random stream. Uniform values have the same bits on every
// machine and device. Normal values are within 1e-6 of the exact value. Normal values have the same bits on
// all machines whose double arithmetic follows IEEE 754.
void fill_uniform(float* values, std::int64_t count, RandomKey key, float low, float high);
void fill_normal(float* values, std::int64_t count, RandomKey key, float mean, float deviation);

}  // namespace runahead::engine
