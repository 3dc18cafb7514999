#include "engine/array/array_random.h"

#include <algorithm>
#include <cmath>

#include "engine/device/random_math.h"

namespace runahead::engine {
namespace {

constexpr int kChunkBlocks = 64, kChunk = 4 * kChunkBlocks;
using NormalChunk = std::array<float, kChunk>;

// Computes the normal values of kChunkBlocks blocks, from `first_block` on. Each step is a loop over arrays,
// which the compiler vectorises: twice as fast as one block after the other.
void compute_chunk(NormalChunk& chunk, RandomKey key, std::uint64_t first_block, float mean,
                   float deviation) {
  // Pair i is computed from words 0 and 1 of block i. Pair kChunkBlocks + i is computed from words 2 and 3.
  constexpr int kPairs = 2 * kChunkBlocks;
  std::uint32_t radius[kPairs], angle[kPairs];
  for (unsigned i = 0; i < kChunkBlocks; ++i) {
    const random_math::Words words = random_math::words_of(key.seed, key.stream, first_block + i);
    radius[i] = words.at[0], angle[i] = words.at[1];
    radius[kChunkBlocks + i] = words.at[2], angle[kChunkBlocks + i] = words.at[3];
  }
  float first[kPairs], second[kPairs];
  for (int i = 0; i < kPairs; ++i) {
    const random_math::Pair pair = random_math::normal_of(radius[i], angle[i]);
    first[i] = static_cast<float>(mean + deviation * pair.first);
    second[i] = static_cast<float>(mean + deviation * pair.second);
  }
  for (std::size_t i = 0; i < kChunkBlocks; ++i) {
    chunk[4 * i] = first[i], chunk[4 * i + 1] = second[i];
    chunk[4 * i + 2] = first[kChunkBlocks + i], chunk[4 * i + 3] = second[kChunkBlocks + i];
  }
}

}  // namespace

PhiloxBlock philox_4x32_10(PhiloxBlock counter, std::array<std::uint32_t, 2> key) {
  const random_math::Words words =
      random_math::philox({{counter[0], counter[1], counter[2], counter[3]}}, key[0], key[1]);
  return {words.at[0], words.at[1], words.at[2], words.at[3]};
}

PhiloxBlock random_block(RandomKey key, std::uint64_t block) {
  const random_math::Words words = random_math::words_of(key.seed, key.stream, block);
  return {words.at[0], words.at[1], words.at[2], words.at[3]};
}

void fill_uniform(float* values, std::int64_t count, RandomKey key, float low, float high) {
  const float width = high - low, below_high = std::nextafter(high, low);
  for (std::int64_t i = 0; i < count; i += 4) {
    const random_math::Words words =
        random_math::words_of(key.seed, key.stream, static_cast<std::uint64_t>(i / 4));
    const std::int64_t here = std::min<std::int64_t>(4, count - i);
    for (std::int64_t lane = 0; lane < here; ++lane)
      values[i + lane] = random_math::uniform_of(words.at[lane], low, width, below_high);
  }
}

void fill_normal(float* values, std::int64_t count, RandomKey key, float mean, float deviation) {
  NormalChunk chunk;
  for (std::int64_t i = 0; i < count; i += kChunk) {
    compute_chunk(chunk, key, static_cast<std::uint64_t>(i / 4), mean, deviation);
    std::copy_n(chunk.begin(), std::min<std::int64_t>(kChunk, count - i), values + i);
  }
}

}  // namespace runahead::engine
