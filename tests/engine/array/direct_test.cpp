#include "engine/array/direct.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/engine/array/every_engine.h"

namespace runahead::engine {
namespace {

class Direct : public EveryEngine {};
INSTANTIATE_TEST_SUITE_P(Everywhere, Direct, ::testing::ValuesIn(every_place()), name_of_place);

TEST_P(Direct, RandomNumbersAreTheEnginesBitForBit) {
  std::vector<float> values(1003);
  direct_uniform(values, {5, 6}, -1.0f, 2.0f);
  EXPECT_EQ(values, read(uniform(here_, {17, 59}, {5, 6}, -1.0f, 2.0f)));
  direct_normal(values, {5, 7}, 0.5f, 2.0f);
  EXPECT_EQ(values, read(normal(here_, {17, 59}, {5, 7}, 0.5f, 2.0f)));
}

TEST_P(Direct, AProductIsTheEnginesBitForBit) {
  const Array a = uniform(here_, {33, 65}, {1, 0}), b = uniform(here_, {65, 21}, {1, 1});
  std::vector<float> out(33 * 21);
  direct_matmul({.m = 33, .k = 65, .n = 21}, read(a), read(b), out);
  const std::vector<float> product = read(matmul(a, b));
  const std::string device = GetParam().device;
  if (device.starts_with("opencl") || (host_cuda::cuda_is_real() && device.starts_with("cuda"))) {
    // a real device adds the terms in another order
    ASSERT_EQ(out.size(), product.size());
    for (std::size_t i = 0; i < out.size(); ++i) EXPECT_NEAR(out[i], product[i], 1e-5 * 65);
  } else {
    EXPECT_EQ(out, product);
  }
}

TEST(DirectMatmul, IsCloseToDoublePrecision) {
  const std::int64_t m = 7, k = 300, n = 5;
  std::vector<float> a(static_cast<std::size_t>(m * k)), b(static_cast<std::size_t>(k * n)), out(35);
  direct_normal(a, {3, 0});
  direct_normal(b, {3, 1});
  direct_matmul({.m = m, .k = k, .n = n}, a, b, out);
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      double exact = 0, magnitude = 0;
      for (std::int64_t l = 0; l < k; ++l) {
        const double term = static_cast<double>(a[static_cast<std::size_t>(i * k + l)]) *
                            b[static_cast<std::size_t>(l * n + j)];
        exact += term;
        magnitude += std::abs(term);
      }
      EXPECT_NEAR(out[static_cast<std::size_t>(i * n + j)], exact, 1e-5 * magnitude);
    }
  }
}

}  // namespace
}  // namespace runahead::engine
