// Tests the elementwise checked operators against references in double precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "tests/engine/array/checked/naive.h"

namespace runahead::engine {
namespace {

using checked::Binary, checked::Unary;

constexpr double kRoundings = 4e-7;  // a few roundings of float32
constexpr float kNotANumber = std::numeric_limits<float>::quiet_NaN();

class CheckedElementwise : public CheckedOperators {};
INSTANTIATE_TEST_SUITE_P(Everywhere, CheckedElementwise, ::testing::ValuesIn(host_places()), name_of_place);

struct BinaryReference {
  const char* name;
  std::function<double(double, double)> function;
};
const std::vector<BinaryReference>& every_binary() {
  static const std::vector<BinaryReference> all = {
      {"add", [](double x, double y) { return x + y; }},
      {"subtract", [](double x, double y) { return x - y; }},
      {"multiply", [](double x, double y) { return x * y; }},
      {"divide", [](double x, double y) { return x / y; }},
      {"power", [](double x, double y) { return std::pow(x, y); }},
      {"maximum", [](double x, double y) { return std::max(x, y); }},
      {"minimum", [](double x, double y) { return std::min(x, y); }},
      {"equal", [](double x, double y) { return x == y ? 1.0 : 0.0; }},
      {"not_equal", [](double x, double y) { return x != y ? 1.0 : 0.0; }},
      {"less", [](double x, double y) { return x < y ? 1.0 : 0.0; }},
      {"less_equal", [](double x, double y) { return x <= y ? 1.0 : 0.0; }},
      {"greater", [](double x, double y) { return x > y ? 1.0 : 0.0; }},
      {"greater_equal", [](double x, double y) { return x >= y ? 1.0 : 0.0; }}};
  return all;
}

Naive of_both(const BinaryReference& reference, const Shape& shape, const Naive& a, const Naive& b) {
  return made(shape, [&](const Index& index) {
    return reference.function(a.broadcast_at(index), b.broadcast_at(index));
  });
}

// The shape of two operands that have one of `shape`'s axes each, as numpy finds it.
Shape broadcast_of(const Shape& a, const Shape& b) {
  Shape shape(std::max(a.size(), b.size()), 1);
  for (const Shape* operand : {&a, &b}) {
    const std::size_t added = shape.size() - operand->size();
    for (std::size_t axis = 0; axis < operand->size(); ++axis) {
      if ((*operand)[axis] != 1) shape[added + axis] = (*operand)[axis];
    }
  }
  return shape;
}

TEST_P(CheckedElementwise, TwoArraysAreBroadcast) {
  for (int round = 0; round < kRounds; ++round) {
    const Shape shape = random_shape();
    const Naive a = random_array(random_operand_shape(shape)), b = random_array(random_operand_shape(shape));
    const Array x = upload(a), y = upload(b);
    for (const BinaryReference& each : every_binary()) {
      SCOPED_TRACE(each.name);
      expect_equal(checked::binary(*checked::binary_named(each.name), x, y),
                   of_both(each, broadcast_of(a.shape, b.shape), a, b), kRoundings);
    }
  }
}

TEST_P(CheckedElementwise, ANumberMayBeEitherOperand) {
  const Naive a = random_array(random_shape());
  const Array x = upload(a);
  for (const float number : {-1.5f, 0.0f, 2.0f}) {
    const Naive b{{}, {static_cast<double>(number)}};
    for (const BinaryReference& each : every_binary()) {
      SCOPED_TRACE(each.name);
      const Binary op = *checked::binary_named(each.name);
      expect_equal(checked::binary(op, x, number), of_both(each, a.shape, a, b), kRoundings);
      expect_equal(checked::binary(op, number, x), of_both(each, a.shape, b, a), kRoundings);
    }
  }
}

TEST_P(CheckedElementwise, InPlaceTheSecondOperandIsBroadcastToTheFirst) {
  for (const BinaryReference& each : every_binary()) {
    SCOPED_TRACE(each.name);
    const Binary op = *checked::binary_named(each.name);
    const Naive a = random_array(random_shape()), b = random_array(random_operand_shape(a.shape));
    const Array x = upload(a), y = upload(a), z = upload(a);
    ASSERT_TRUE(checked::binary_in_place(op, x, upload(b)).ok());
    expect_equal(x, of_both(each, a.shape, a, b), kRoundings);
    ASSERT_TRUE(checked::binary_in_place(op, y, 0.5f).ok());
    expect_equal(y, of_both(each, a.shape, a, Naive{{}, {0.5}}), kRoundings);
    ASSERT_TRUE(checked::binary_in_place(op, z, z).ok());
    expect_equal(z, of_both(each, a.shape, a, a), kRoundings);
  }
}

TEST_P(CheckedElementwise, MaximumAndMinimumKeepNaN) {
  const Array a = array({3}, {kNotANumber, 1, kNotANumber}), b = array({3}, {2, kNotANumber, kNotANumber});
  for (const Binary op : {Binary::kMaximum, Binary::kMinimum}) {
    for (const float value : read(*checked::binary(op, a, b))) EXPECT_TRUE(std::isnan(value));
  }
}

TEST_P(CheckedElementwise, OneOperand) {
  const auto sign = [](double x) { return static_cast<double>((x > 0) - (x < 0)); };
  const std::vector<std::pair<const char*, std::function<double(double)>>> all = {
      {"negative", [](double x) { return -x; }},
      {"abs", [](double x) { return std::abs(x); }},
      {"exp", [](double x) { return std::exp(x); }},
      {"log", [](double x) { return std::log(x); }},
      {"sqrt", [](double x) { return std::sqrt(x); }},
      {"square", [](double x) { return x * x; }},
      {"tanh", [](double x) { return std::tanh(x); }},
      {"sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); }},
      {"relu", [](double x) { return std::max(x, 0.0); }},
      {"sign", sign},
      {"sin", [](double x) { return std::sin(x); }},
      {"cos", [](double x) { return std::cos(x); }},
      {"reciprocal", [](double x) { return 1 / x; }},
      {"floor", [](double x) { return std::floor(x); }}};
  const Naive a = random_array(random_shape(0, 3));
  const Array x = upload(a);
  for (const auto& [name, function] : all) {
    SCOPED_TRACE(name);
    const Unary op = *checked::unary_named(name);
    EXPECT_STREQ(checked::name_of(op), name);
    expect_equal(checked::unary(op, x),
                 made(a.shape, [&, f = function](const Index& index) { return f(a.at(index)); }), kRoundings);
  }
}

TEST_P(CheckedElementwise, ClipKeepsNaN) {
  const Array a = array({5}, {-3, -1, 0.5f, 4, kNotANumber});
  const std::vector<float> values = read(*checked::clip(a, -1, 2));
  EXPECT_EQ(std::vector<float>(values.begin(), values.end() - 1), (std::vector<float>{-1, -1, 0.5f, 2}));
  EXPECT_TRUE(std::isnan(values.back()));
}

TEST_P(CheckedElementwise, SelectTakesItsElementsFromArraysAndNumbers) {
  for (int round = 0; round < kRounds; ++round) {
    const Shape shape = random_shape();
    const Naive c = random_array(shape, -1, 1), a = random_array(random_operand_shape(shape)),
                b = random_array(random_operand_shape(shape)), seven{{}, {7}}, eight{{}, {8}};
    const auto expected = [&](const Naive& x, const Naive& y) {
      return made(shape, [&](const Index& index) {
        return c.at(index) != 0 ? x.broadcast_at(index) : y.broadcast_at(index);
      });
    };
    const Array condition = upload(c), x = upload(a), y = upload(b);
    expect_equal(checked::select(condition, x, y), expected(a, b));
    expect_equal(checked::select(condition, 7, y), expected(seven, b));
    expect_equal(checked::select(condition, x, 8), expected(a, eight));
    expect_equal(checked::select(condition, 7, 8), expected(seven, eight));
  }
}

}  // namespace
}  // namespace runahead::engine
