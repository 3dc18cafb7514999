#include <gtest/gtest.h>

#include "engine/array/blas.h"
#include "tests/engine/array/every_engine.h"

namespace runahead::engine {
namespace {

class Matrix : public EveryEngine {};
INSTANTIATE_TEST_SUITE_P(Everywhere, Matrix, ::testing::ValuesIn(every_place()), name_of_place);

// The product of a and b, computed in double. `ta`: a is transposed. `tb`: b is transposed.
std::vector<double> reference_product(const std::vector<float>& a, const std::vector<float>& b,
                                      std::int64_t m, std::int64_t n, std::int64_t k, bool ta, bool tb) {
  std::vector<double> c(static_cast<std::size_t>(m * n), 0.0);
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t x = 0; x < k; ++x) {
        const auto ia = static_cast<std::size_t>(ta ? x * m + i : i * k + x),
                   ib = static_cast<std::size_t>(tb ? j * k + x : x * n + j);
        c[static_cast<std::size_t>(i * n + j)] += static_cast<double>(a[ia]) * static_cast<double>(b[ib]);
      }
    }
  }
  return c;
}

void expect_near(const std::vector<float>& values, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    EXPECT_NEAR(static_cast<double>(values[i]), expected[i], tolerance) << "at " << i;
}

TEST_P(Matrix, AProductIsRightForEachChoiceOfTransposes) {
  // Without OpenBLAS, the product is a loop over blocks. k is greater than a block, so the loop runs over
  // more than one block.
  const std::int64_t m = 5, n = 7, k = 70;
  const std::vector<float> a = simple_values(m * k, 1), b = simple_values(k * n, 2);
  for (const bool ta : {false, true}) {
    for (const bool tb : {false, true}) {
      const Array x = array(ta ? Shape{k, m} : Shape{m, k}, a), y = array(tb ? Shape{n, k} : Shape{k, n}, b);
      const Array product = matmul(x, y, Transpose{ta}, Transpose{tb});
      EXPECT_EQ(product.shape(), (Shape{m, n}));
      expect_near(read(product), reference_product(a, b, m, n, k, ta, tb), 1e-3);
    }
  }
}

TEST_P(Matrix, DenseIsTheProductWithTheWeightsTransposedPlusTheBias) {
  const std::int64_t m = 6, n = 4, k = 9;
  const std::vector<float> x = simple_values(m * k, 1), weight = simple_values(n * k, 2),
                           bias = simple_values(n, 3);
  std::vector<double> expected = reference_product(x, weight, m, n, k, false, true);
  for (std::size_t i = 0; i < expected.size(); ++i)
    expected[i] += static_cast<double>(bias[i % static_cast<std::size_t>(n)]);
  expect_near(read(dense(array({m, k}, x), array({n, k}, weight), array({n}, bias))), expected, 1e-4);
}

TEST_P(Matrix, SumsKeepThePrecisionOfTheirTerms) {
  const std::int64_t count = 100'003;
  const std::vector<float> values(static_cast<std::size_t>(count), 0.1f);
  const Array a = array({count}, values);
  const double exact = static_cast<double>(0.1f) * static_cast<double>(count);
  EXPECT_FLOAT_EQ(read(sum(a))[0],
                  // a sum in float32 would be wrong by about 1e-3 of the value
                  static_cast<float>(exact));
  EXPECT_FLOAT_EQ(read(mean(a))[0], 0.1f);
  EXPECT_EQ(sum(a).shape(), (Shape{1}));
}

TEST_P(Matrix, SumRowsAddsDownEachColumnAndAddRowAddsToEachRow) {
  const Array a = array({2, 3}, {1, 2, 3, 10, 20, 30});
  EXPECT_EQ(read(sum_rows(a)), (std::vector<float>{11, 22, 33}));
  EXPECT_EQ(read(add_row(a, array({3}, {0.5f, 1, 2}))), (std::vector<float>{1.5f, 3, 5, 10.5f, 21, 32}));
}

TEST(MatrixBits, AreTheSameOnEveryEngineAndDevice) {
  std::vector<std::vector<float>> results;
  for (const Place& place : every_place()) {
    if (std::string(place.device).starts_with("opencl")) continue;  // it adds in another order
    const OpenEngine open({.kind = place.kind}, place.device);
    const Array a = uniform(open.here, {33, 65}, {7, 0}, -1, 1),
                b = uniform(open.here, {65, 17}, {7, 1}, -1, 1);
    const Result<std::vector<float>> values = sum_rows(matmul(a, b)).asnumpy();
    ASSERT_TRUE(values.ok());
    results.push_back(*values);
  }
  for (const std::vector<float>& values : results) EXPECT_EQ(values, results.front());
}

TEST_P(Matrix, ShapesThatDoNotFitAreABugOfTheCaller) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const Array a = ones(here_, {2, 3}), b = ones(here_, {2, 3});
  EXPECT_DEATH((void)matmul(a, b), "product.k");
  EXPECT_DEATH((void)(a + ones(here_, {3, 2})), "shape");
}

TEST(Blas, AProductByTwoThreadsIsThatOfOne) {
  constexpr std::int64_t kExtent = 300;
  std::vector<float> a(kExtent * kExtent), b(a.size()), one(a.size()), two(a.size()), again(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<float>(i % 17) - 8.0f;  // whole numbers: the sums are exact in any order
    b[i] = static_cast<float>(i % 13) - 6.0f;
  }
  const MatrixProduct product{.m = kExtent, .n = kExtent, .k = kExtent};
  set_blas_threads(1);
  multiply_matrices(product, a.data(), b.data(), one.data());
  set_blas_threads(2);
  multiply_matrices(product, a.data(), b.data(), two.data());
  set_blas_threads(1);
  multiply_matrices(product, a.data(), b.data(), again.data());
  EXPECT_EQ(one, two);
  EXPECT_EQ(one, again);
}

}  // namespace
}  // namespace runahead::engine
