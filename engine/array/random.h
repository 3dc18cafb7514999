// Counter-based random numbers: Philox 4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy
// as 1, 2, 3", SC 2011). Four words from a counter and a key, without state: element i of a stream is the
// same wherever and in whatever order it is computed. Internal to engine/array.
#pragma once

#include <array>
#include <cstdint>

#include "engine/array/operators.h"

namespace runahead::engine {

using PhiloxBlock = std::array<std::uint32_t, 4>;
[[nodiscard]] PhiloxBlock philox_4x32_10(PhiloxBlock counter, std::array<std::uint32_t, 2> key);

// The four words of elements 4 * block .. 4 * block + 3 of a stream.
[[nodiscard]] PhiloxBlock random_block(RandomKey key, std::uint64_t block);

// Elements 0 .. count of the stream. Uniform: 24 bits of a word each, scaled in float32, so the same bits
// everywhere. Normal: Box-Muller in double with series of its own, rounded once: within 1e-6 of the exact
// value, and the same bits wherever double arithmetic is IEEE's, whatever the library's log, sin and cos.
void fill_uniform(float* values, std::int64_t count, RandomKey key, float low, float high);
void fill_normal(float* values, std::int64_t count, RandomKey key, float mean, float deviation);

}  // namespace runahead::engine
