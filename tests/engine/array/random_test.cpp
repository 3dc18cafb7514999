#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/array/array_random.h"
#include "tests/engine/array/every_engine.h"

namespace runahead::engine {
namespace {

// The authors of the generator publish these results for known inputs (Random123, kat_vectors).
TEST(Philox, GivesThePublishedAnswers) {
  EXPECT_EQ(philox_4x32_10({0, 0, 0, 0}, {0, 0}),
            (PhiloxBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox_4x32_10({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (PhiloxBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox_4x32_10({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Uniform, HasTheSameBitsOnEveryEngineAndDevice) {
  std::vector<float> first;
  for (const Place& place : every_place()) {
    const OpenEngine open({.kind = place.kind}, place.device);
    const Result<std::vector<float>> values = uniform(open.here, {3, 1001}, {42, 5}, -0.07f, 0.07f).asnumpy();
    ASSERT_TRUE(values.ok());
    if (first.empty()) first = *values;
    EXPECT_EQ(*values, first) << place.device;
  }
}

TEST(Uniform, StaysBelowItsUpperEndAndFillsItsRange) {
  std::vector<float> values(200'000);
  fill_uniform(values.data(), 200'000, {1, 2}, -0.07f, 0.07f);
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  EXPECT_GE(*low, -0.07f);
  EXPECT_LT(*high, 0.07f);
  EXPECT_LT(*low, -0.0699f);
  EXPECT_GT(*high, 0.0699f);
}

TEST(Uniform, AnElementDoesNotDependOnHowManyThereAre) {
  std::vector<float> few(5), many(1000);
  fill_uniform(few.data(), 5, {9, 9}, 0, 1);
  fill_uniform(many.data(), 1000, {9, 9}, 0, 1);
  EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin()));
}

TEST(Uniform, StreamsAndSeedsDiffer) {
  std::vector<float> a(64), b(64), c(64);
  fill_uniform(a.data(), 64, {1, 0}, 0, 1);
  fill_uniform(b.data(), 64, {1, 1}, 0, 1);
  fill_uniform(c.data(), 64, {2, 0}, 0, 1);
  EXPECT_NE(a, b);
  EXPECT_NE(a, c);
}

TEST(Normal, EqualsBoxMullerInLongDoubleToAMillionth) {
  std::vector<float> values(40'000);
  fill_normal(values.data(), 40'000, {3, 4}, 0, 1);
  for (std::size_t i = 0; i < values.size(); i += 2) {
    const PhiloxBlock words = random_block({3, 4}, i / 4);
    const long double u = (words[i % 4] + 1.0L) / 4294967296.0L, v = words[i % 4 + 1] / 4294967296.0L;
    const long double radius = std::sqrt(-2.0L * std::log(u)),
                      angle = 2.0L * std::numbers::pi_v<long double> * v;
    ASSERT_NEAR(values[i], static_cast<double>(radius * std::cos(angle)), 1e-6);
    ASSERT_NEAR(values[i + 1], static_cast<double>(radius * std::sin(angle)), 1e-6);
  }
}

TEST(Normal, HasItsMeanAndDeviation) {
  const int count = 400'000;
  std::vector<float> values(count);
  fill_normal(values.data(), count, {5, 6}, 2.0f, 3.0f);
  double total = 0, squares = 0;
  for (const float value : values) total += static_cast<double>(value);
  const double mean = total / count;
  for (const float value : values)
    squares += (static_cast<double>(value) - mean) * (static_cast<double>(value) - mean);
  EXPECT_NEAR(mean, 2.0, 0.03);  // about six standard errors of the mean: 6 x 3 / sqrt(400000)
  EXPECT_NEAR(std::sqrt(squares / count), 3.0, 0.03);
}

}  // namespace
}  // namespace runahead::engine
