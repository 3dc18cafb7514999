// Counter-based random numbers on the host (engine/device/random_math.h). Element i of a stream has the same
// value on every device, and in any order of computation. Internal to engine/array.
#pragma once

#include <array>
#include <cstdint>

#include "engine/device/arithmetic.h"

namespace runahead::engine {

using PhiloxBlock = std::array<std::uint32_t, 4>;
[[nodiscard]] PhiloxBlock philox_4x32_10(PhiloxBlock counter, std::array<std::uint32_t, 2> key);

// Returns the four random words of a stream's elements 4 * block .. 4 * block + 3.
[[nodiscard]] PhiloxBlock random_block(RandomKey key, std::uint64_t block);

// Fill elements 0 .. count - 1 of the stream. Uniform: the same bits everywhere. Normal: within 1e-6 of the
// exact value, and the same bits on machines whose double arithmetic follows IEEE.
void fill_uniform(float* values, std::int64_t count, RandomKey key, float low, float high);
void fill_normal(float* values, std::int64_t count, RandomKey key, float mean, float deviation);

}  // namespace runahead::engine
