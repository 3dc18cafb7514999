#include "engine/array/array_random.h"

#include <algorithm>
#include <cmath>

#include "engine/device/random_math.h"

namespace runahead::engine {

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
  for (std::int64_t i = 0; i < count; i += 4) {
    const random_math::Words words =
        random_math::words_of(key.seed, key.stream, static_cast<std::uint64_t>(i / 4));
    const random_math::Pair front = random_math::normal_of(words.at[0], words.at[1]);
    const random_math::Pair back = random_math::normal_of(words.at[2], words.at[3]);
    const std::array<double, 4> z{front.first, front.second, back.first, back.second};
    const std::int64_t here = std::min<std::int64_t>(4, count - i);
    for (std::int64_t lane = 0; lane < here; ++lane)
      values[i + lane] = static_cast<float>(mean + deviation * z[static_cast<std::size_t>(lane)]);
  }
}

}  // namespace runahead::engine
