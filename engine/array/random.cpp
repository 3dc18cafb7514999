#include "engine/array/random.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace runahead::engine {

PhiloxBlock philox_4x32_10(PhiloxBlock counter, std::array<std::uint32_t, 2> key) {
  constexpr std::uint64_t kMultiplier0 = 0xD2511F53u, kMultiplier1 = 0xCD9E8D57u;
  constexpr std::uint32_t kWeyl0 = 0x9E3779B9u, kWeyl1 = 0xBB67AE85u;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = kMultiplier0 * counter[0], product1 = kMultiplier1 * counter[2];
    counter = {static_cast<std::uint32_t>(product1 >> 32) ^ counter[1] ^ key[0],
               static_cast<std::uint32_t>(product1),
               static_cast<std::uint32_t>(product0 >> 32) ^ counter[3] ^ key[1],
               static_cast<std::uint32_t>(product0)};
    key = {key[0] + kWeyl0, key[1] + kWeyl1};
  }
  return counter;
}

PhiloxBlock random_block(RandomKey key, std::uint64_t block) {
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
  return philox_4x32_10({low(block), high(block), low(key.stream), high(key.stream)},
                        {low(key.seed), high(key.seed)});
}

void fill_uniform(float* values, std::int64_t count, RandomKey key, float low, float high) {
  constexpr float kUnit = 1.0f / 16777216.0f;  // 2^-24
  const float width = high - low;
  const float below_high = std::nextafter(high, low);  // rounding may reach high, which is outside
  for (std::int64_t i = 0; i < count; i += 4) {
    const PhiloxBlock words = random_block(key, static_cast<std::uint64_t>(i / 4));
    const std::int64_t here = std::min<std::int64_t>(4, count - i);
    for (std::int64_t lane = 0; lane < here; ++lane) {
      const float unit = static_cast<float>(words[static_cast<std::size_t>(lane)] >> 8) * kUnit;
      values[i + lane] = std::min(low + unit * width, below_high);
    }
  }
}

void fill_normal(float* values, std::int64_t count, RandomKey key, float mean, float deviation) {
  constexpr double kUnit = 1.0 / 4294967296.0;  // 2^-32
  for (std::int64_t i = 0; i < count; i += 4) {
    const PhiloxBlock words = random_block(key, static_cast<std::uint64_t>(i / 4));
    std::array<double, 4> z;
    for (std::size_t pair = 0; pair < 4; pair += 2) {
      const double radius = std::sqrt(-2.0 * std::log((words[pair] + 1.0) * kUnit));  // of (0, 1]: never of 0
      const double angle = 2.0 * std::numbers::pi * (words[pair + 1] * kUnit);
      z[pair] = radius * std::cos(angle);
      z[pair + 1] = radius * std::sin(angle);
    }
    const std::int64_t here = std::min<std::int64_t>(4, count - i);
    for (std::int64_t lane = 0; lane < here; ++lane) {
      values[i + lane] = static_cast<float>(mean + deviation * z[static_cast<std::size_t>(lane)]);
    }
  }
}

}  // namespace runahead::engine
