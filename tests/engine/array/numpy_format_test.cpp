// Tests how arrays are printed. The expected texts are the output of numpy 1.24.2 for the same float32
// arrays.
#include "engine/array/numpy_format.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace runahead::engine {
namespace {

std::string row(const std::vector<float>& values) {
  return numpy_format(values, {static_cast<std::int64_t>(values.size())});
}
std::vector<float> counting(std::size_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 0.0f);
  return values;
}
constexpr float kNan = std::numeric_limits<float>::quiet_NaN(),
                kInfinity = std::numeric_limits<float>::infinity();

TEST(NumpyFormat, WholeNumbersKeepTheirPoint) {
  EXPECT_EQ(numpy_format(std::vector<float>{3, 3}, {1, 2}), "[[3. 3.]]");
  EXPECT_EQ(row({0, 0}), "[0. 0.]");
  EXPECT_EQ(row({-0.0f, 1}), "[-0.  1.]");
}

TEST(NumpyFormat, AnArrayWithoutAxesIsWrittenLikeANumber) {
  EXPECT_EQ(numpy_format(std::vector<float>{3}, {}), "3.0");
  EXPECT_EQ(numpy_format(std::vector<float>{-0.1f}, {}), "-0.1");
  EXPECT_EQ(numpy_format(std::vector<float>{1e-5f}, {}), "1e-05");
  EXPECT_EQ(numpy_format(std::vector<float>{1e10f}, {}), "10000000000.0");
  EXPECT_EQ(numpy_format(std::vector<float>{1e20f}, {}), "1e+20");
  EXPECT_EQ(numpy_format(std::vector<float>{-kInfinity}, {}), "-inf");
}

TEST(NumpyFormat, AnArrayWithoutElementsHasOnlyBrackets) {
  EXPECT_EQ(numpy_format({}, {0}), "[]");
  EXPECT_EQ(numpy_format({}, {2, 0, 3}), "[]");
}

TEST(NumpyFormat, FractionsHaveTheFewestDigitsThatTellThemApart) {
  EXPECT_EQ(row({1.0f / 3.0f}), "[0.33333334]");
  EXPECT_EQ(row({1.5f, 2.25f}), "[1.5  2.25]");
  EXPECT_EQ(row({0.1f, -0.2f, 100.0f}), "[  0.1  -0.2 100. ]");
  EXPECT_EQ(row({123456.789f, 1000.5f}), "[123456.79   1000.5 ]");
}

TEST(NumpyFormat, LargeSmallAndWideRangesHaveExponents) {
  EXPECT_EQ(row({1, 1e9f}), "[1.e+00 1.e+09]");
  EXPECT_EQ(row({1.5e-5f, 2}), "[1.5e-05 2.0e+00]");
  EXPECT_EQ(row({1.5e10f, -1e10f, 1e-10f}), "[ 1.5e+10 -1.0e+10  1.0e-10]");
  EXPECT_EQ(row({1e-5f}), "[1.e-05]");
}

TEST(NumpyFormat, WhatIsNoNumberIsAligned) {
  EXPECT_EQ(row({kNan, kInfinity, -1}), "[nan inf -1.]");
  EXPECT_EQ(row({1.5e10f, kNan}), "[1.5e+10     nan]");
  EXPECT_EQ(row({kNan, kNan}), "[nan nan]");
  EXPECT_EQ(row({-kInfinity, 1.5f}), "[-inf  1.5]");
}

TEST(NumpyFormat, LongRowsWrapAt75) {
  EXPECT_EQ(row(counting(40)),
            "[ 0.  1.  2.  3.  4.  5.  6.  7.  8.  9. 10. 11. 12. 13. 14. 15. 16. 17.\n"
            " 18. 19. 20. 21. 22. 23. 24. 25. 26. 27. 28. 29. 30. 31. 32. 33. 34. 35.\n"
            " 36. 37. 38. 39.]");
  std::vector<float> thirds = counting(20);
  for (float& value : thirds) value /= 3;
  EXPECT_EQ(numpy_format(thirds, {2, 10}),
            "[[0.         0.33333334 0.6666667  1.         1.3333334  1.6666666\n"
            "  2.         2.3333333  2.6666667  3.        ]\n"
            " [3.3333333  3.6666667  4.         4.3333335  4.6666665  5.\n"
            "  5.3333335  5.6666665  6.         6.3333335 ]]");
}

TEST(NumpyFormat, DeeperShapesAreSetApart) {
  EXPECT_EQ(numpy_format(counting(8), {2, 2, 2}), "[[[0. 1.]\n  [2. 3.]]\n\n [[4. 5.]\n  [6. 7.]]]");
}

TEST(NumpyFormat, OfMoreThanAThousandOnlyTheEndsAreShown) {
  EXPECT_EQ(row(counting(1001)), "[   0.    1.    2. ...  998.  999. 1000.]");
  EXPECT_EQ(numpy_format(counting(2000), {40, 50}),
            "[[0.000e+00 1.000e+00 2.000e+00 ... 4.700e+01 4.800e+01 4.900e+01]\n"
            " [5.000e+01 5.100e+01 5.200e+01 ... 9.700e+01 9.800e+01 9.900e+01]\n"
            " [1.000e+02 1.010e+02 1.020e+02 ... 1.470e+02 1.480e+02 1.490e+02]\n"
            " ...\n"
            " [1.850e+03 1.851e+03 1.852e+03 ... 1.897e+03 1.898e+03 1.899e+03]\n"
            " [1.900e+03 1.901e+03 1.902e+03 ... 1.947e+03 1.948e+03 1.949e+03]\n"
            " [1.950e+03 1.951e+03 1.952e+03 ... 1.997e+03 1.998e+03 1.999e+03]]");
}

}  // namespace
}  // namespace runahead::engine
