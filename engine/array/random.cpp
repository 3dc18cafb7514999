#include "engine/array/random.h"

#include <algorithm>
#include <bit>
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

namespace {

// The natural logarithm of (word + 1) / 2^32, which is in (0, 1]: the exponent, and for what is left of it,
// in [sqrt(1/2), sqrt(2)), the series 2 (t + t^3/3 + ...) of t = (m - 1) / (m + 1). |t| < 0.172, so the first
// term left out is below 1e-9 of the result.
double log_of_unit(std::uint32_t word) {
  // Without a branch, which random numbers would mispredict half of the time: the bits of sqrt(1/2) taken
  // away leave the exponent of x / sqrt(1/2) on top.
  constexpr std::uint64_t kRootOfHalf = 0x3FE6A09E667F3BCDu;
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(static_cast<double>(word) + 1.0);
  const std::int64_t power = static_cast<std::int64_t>(bits - kRootOfHalf) >> 52;
  const double m = std::bit_cast<double>(bits - (static_cast<std::uint64_t>(power) << 52));
  const double exponent = static_cast<double>(power - 32);
  const double t = (m - 1.0) / (m + 1.0), s = t * t;
  const double series = 1.0 + s * (1.0 / 3 + s * (1.0 / 5 + s * (1.0 / 7 + s * (1.0 / 9 + s * (1.0 / 11)))));
  return exponent * std::numbers::ln2 + 2.0 * t * series;
}

// Cosine and sine of the turn word / 2^32: Taylor's series within an eighth of a turn of the nearest quarter,
// where the first terms left out are below 1e-10.
struct Direction {
  double cosine, sine;
};
Direction direction_of(std::uint32_t word) {
  const std::uint32_t quarter = (word + 0x20000000u) >> 30;             // the nearest, modulo 4
  const auto rest = static_cast<std::int32_t>(word - (quarter << 30));  // [-2^29, 2^29)
  const double a = static_cast<double>(rest) * (2.0 * std::numbers::pi / 4294967296.0), s = a * a;
  // 1 / 3!, 1 / 5!, ... and 1 / 2!, 1 / 4!, ...: products, since ten divisions would take as long as all the
  // rest.
  const double sine =
      a * (1.0 +
           s * (-1.0 / 6 + s * (1.0 / 120 + s * (-1.0 / 5040 + s * (1.0 / 362880 + s * (-1.0 / 39916800))))));
  const double cosine =
      1.0 + s * (-1.0 / 2 +
                 s * (1.0 / 24 +
                      s * (-1.0 / 720 + s * (1.0 / 40320 + s * (-1.0 / 3628800 + s * (1.0 / 479001600))))));
  // Quarter by quarter: (c, s), (-s, c), (-c, -s), (s, -c). Without a branch, for the same reason.
  const std::uint64_t swap = 0 - static_cast<std::uint64_t>(quarter & 1u);
  const auto c = std::bit_cast<std::uint64_t>(cosine), n = std::bit_cast<std::uint64_t>(sine);
  const std::uint64_t x_sign = static_cast<std::uint64_t>((quarter ^ (quarter >> 1)) & 1u) << 63;
  const std::uint64_t y_sign = static_cast<std::uint64_t>(quarter >> 1) << 63;
  return {std::bit_cast<double>(((n & swap) | (c & ~swap)) ^ x_sign),
          std::bit_cast<double>(((c & swap) | (n & ~swap)) ^ y_sign)};
}

}  // namespace

void fill_normal(float* values, std::int64_t count, RandomKey key, float mean, float deviation) {
  for (std::int64_t i = 0; i < count; i += 4) {
    const PhiloxBlock words = random_block(key, static_cast<std::uint64_t>(i / 4));
    std::array<double, 4> z;
    for (std::size_t pair = 0; pair < 4; pair += 2) {
      const double radius = std::sqrt(-2.0 * log_of_unit(words[pair]));
      const Direction direction = direction_of(words[pair + 1]);
      z[pair] = radius * direction.cosine;
      z[pair + 1] = radius * direction.sine;
    }
    const std::int64_t here = std::min<std::int64_t>(4, count - i);
    for (std::int64_t lane = 0; lane < here; ++lane) {
      values[i + lane] = static_cast<float>(mean + deviation * z[static_cast<std::size_t>(lane)]);
    }
  }
}

}  // namespace runahead::engine
