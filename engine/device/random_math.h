// The arithmetic of random numbers. The host's code and the CUDA kernels both include this header. Host and
// CUDA give the same bits if neither compiler fuses a multiplication with an addition (nvcc: -fmad=false).
//
// Philox 4x32-10 makes four random 32-bit words from a counter and a key, without state. Source: Salmon,
// Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC 2011. Uniform numbers: 24 bits of
// each word, scaled in float32. Normally distributed numbers: the Box-Muller method, computed in double and
// rounded once. It uses our own series for log, sin and cos, so that the result does not depend on a library.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#if defined(__CUDACC__)
#define RUNAHEAD_HOST_AND_DEVICE __host__ __device__
#else
#define RUNAHEAD_HOST_AND_DEVICE
#endif

namespace runahead::engine::random_math {

struct Words {
  std::uint32_t at[4];
};

RUNAHEAD_HOST_AND_DEVICE inline Words philox(Words counter, std::uint32_t key0, std::uint32_t key1) {
  constexpr std::uint64_t kMultiplier0 = 0xD2511F53u, kMultiplier1 = 0xCD9E8D57u;
  constexpr std::uint32_t kWeyl0 = 0x9E3779B9u, kWeyl1 = 0xBB67AE85u;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = kMultiplier0 * counter.at[0], product1 = kMultiplier1 * counter.at[2];
    counter = Words{{static_cast<std::uint32_t>(product1 >> 32) ^ counter.at[1] ^ key0,
                     static_cast<std::uint32_t>(product1),
                     static_cast<std::uint32_t>(product0 >> 32) ^ counter.at[3] ^ key1,
                     static_cast<std::uint32_t>(product0)}};
    key0 += kWeyl0;
    key1 += kWeyl1;
  }
  return counter;
}

// Returns four random words, for the elements 4 * block .. 4 * block + 3 of a stream.
RUNAHEAD_HOST_AND_DEVICE inline Words words_of(std::uint64_t seed, std::uint64_t stream,
                                               std::uint64_t block) {
  const Words counter{{static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32),
                       static_cast<std::uint32_t>(stream), static_cast<std::uint32_t>(stream >> 32)}};
  return philox(counter, static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
}

// Returns a value in [low, high). below_high is the largest float below high. The result is limited to
// below_high, because rounding could give high itself.
RUNAHEAD_HOST_AND_DEVICE inline float uniform_of(std::uint32_t word, float low, float width,
                                                 float below_high) {
  const float value = low + static_cast<float>(word >> 8) * (1.0f / 16777216.0f) * width;
  return value < below_high ? value : below_high;
}

RUNAHEAD_HOST_AND_DEVICE inline std::uint64_t bits_of(double value) {
  std::uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}
RUNAHEAD_HOST_AND_DEVICE inline double double_of(std::uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// Returns the natural logarithm of (word + 1) / 2^32, which is in (0, 1]. Let word + 1 be m * 2^e. The
// logarithm is (e - 32) * ln 2 plus the logarithm of the mantissa m, which is in [sqrt(1/2), sqrt(2)). The
// logarithm of m is the series 2 (t + t^3/3 + ...) with t = (m - 1) / (m + 1). Since |t| < 0.172, the first
// omitted term is below 1e-9 of the result.
RUNAHEAD_HOST_AND_DEVICE inline double log_of_unit(std::uint32_t word) {
  constexpr double kLn2 = 0.693147180559945309417232121458176568;
  // Finds exponent and mantissa of x = word + 1 without a branch: with random numbers, a branch would be
  // mispredicted half of the time. Subtract the bits of sqrt(1/2) from the bits of x: the top bits of the
  // difference are the exponent of x / sqrt(1/2).
  // All conversions are from int32, because SSE2 and AVX2 have no other: so a loop over words is vectorised.
  constexpr std::uint64_t kRootOfHalf = 0x3FE6A09E667F3BCDu, kExponentBits = 0xFFF0000000000000u;
  const double x = static_cast<double>(static_cast<std::int32_t>(word ^ 0x80000000u)) + 2147483649.0;
  const std::uint64_t bits = bits_of(x), difference = bits - kRootOfHalf;
  const std::int32_t power = static_cast<std::int32_t>(static_cast<std::uint32_t>(difference >> 32)) >> 20;
  const double m = double_of(bits - (difference & kExponentBits));
  const double exponent = static_cast<double>(power - 32);
  const double t = (m - 1.0) / (m + 1.0), s = t * t;
  const double series = 1.0 + s * (1.0 / 3 + s * (1.0 / 5 + s * (1.0 / 7 + s * (1.0 / 9 + s * (1.0 / 11)))));
  return exponent * kLn2 + 2.0 * t * series;
}

// Cosine and sine of an angle of word / 2^32 turns. Both are computed as Taylor series around the nearest
// quarter turn, at most an eighth of a turn away; the first omitted terms are below 1e-10.
struct Direction {
  double cosine, sine;
};
RUNAHEAD_HOST_AND_DEVICE inline Direction direction_of(std::uint32_t word) {
  constexpr double kTwoPi = 6.283185307179586476925286766559005768;
  const std::uint32_t quarter = (word + 0x20000000u) >> 30;  // the nearest quarter turn, modulo 4
  const std::int32_t rest = static_cast<std::int32_t>(word - (quarter << 30));  // [-2^29, 2^29)
  const double a = static_cast<double>(rest) * (kTwoPi / 4294967296.0), s = a * a;
  // The factors 1 / 3!, 1 / 5!, ... and 1 / 2!, 1 / 4!, ... are constants, because ten divisions would take
  // as long as all other steps.
  const double sine =
      a * (1.0 +
           s * (-1.0 / 6 + s * (1.0 / 120 + s * (-1.0 / 5040 + s * (1.0 / 362880 + s * (-1.0 / 39916800))))));
  const double cosine =
      1.0 + s * (-1.0 / 2 +
                 s * (1.0 / 24 +
                      s * (-1.0 / 720 + s * (1.0 / 40320 + s * (-1.0 / 3628800 + s * (1.0 / 479001600))))));
  // Let C and S be `cosine` and `sine`. For quarter = 0, 1, 2, 3 the results are (C, S), (-S, C), (-C, -S),
  // (S, -C). There is no branch, for the same reason as in log_of_unit().
  const std::uint64_t swap = 0 - static_cast<std::uint64_t>(quarter & 1u);
  const std::uint64_t c = bits_of(cosine), n = bits_of(sine);
  const std::uint64_t x_sign = static_cast<std::uint64_t>((quarter ^ (quarter >> 1)) & 1u) << 63;
  const std::uint64_t y_sign = static_cast<std::uint64_t>(quarter >> 1) << 63;
  return {double_of(((n & swap) | (c & ~swap)) ^ x_sign), double_of(((c & swap) | (n & ~swap)) ^ y_sign)};
}

// Two normal numbers, computed from two words.
struct Pair {
  double first, second;
};
RUNAHEAD_HOST_AND_DEVICE inline Pair normal_of(std::uint32_t radius_word, std::uint32_t angle_word) {
  const double radius = sqrt(-2.0 * log_of_unit(radius_word));
  const Direction direction = direction_of(angle_word);
  return {radius * direction.cosine, radius * direction.sine};
}

}  // namespace runahead::engine::random_math
