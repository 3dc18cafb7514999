// Tests that misuse gives an error of one line and enqueues nothing, and which operators a device with its
// own memory has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "tests/engine/array/checked/naive.h"

namespace runahead::engine {
namespace {

using checked::Binary, checked::Reduction, checked::SliceRange, checked::Unary;

std::string message_of(const Result<Array>& result) { return result.ok() ? "" : result.error().message; }
std::string message_of(const Status& status) { return status.ok() ? "" : status.error().message; }

class CheckedMisuse : public ::testing::Test {
 protected:
  struct Case {
    std::string message, expected;
  };
  void expect_errors(const std::vector<Case>& cases, std::int64_t enqueued_before) const {
    for (const Case& each : cases) EXPECT_EQ(each.message, each.expected);
    EXPECT_EQ(open_.engine->stats().ops_enqueued, enqueued_before);
  }
  [[nodiscard]] std::int64_t enqueued() const { return open_.engine->stats().ops_enqueued; }

  OpenEngine open_{EngineOptions{}, "virtual:0"};
  const Context& here_ = open_.cpu;
  Array matrix_ = ones(here_, {2, 3}), four_ = ones(here_, {4}), scalar_ = ones(here_, {}),
        none_ = ones(here_, {0, 3}), elsewhere_ = ones(open_.here, {2, 3});
};

TEST_F(CheckedMisuse, OperandsThatDoNotFit) {
  const std::int64_t before = enqueued();
  const std::string shapes = ": shapes (2, 3) and (4) do not fit";
  expect_errors(
      {{message_of(checked::binary(Binary::kAdd, matrix_, four_)), "add" + shapes},
       {message_of(checked::binary(Binary::kLess, 1, 2)), "less: one of the operands must be an array"},
       {message_of(checked::binary(Binary::kAdd, matrix_, Array())), "add: an operand is not an array"},
       {message_of(checked::binary(Binary::kAdd, Array(), 1)), "add: an operand is not an array"},
       {message_of(checked::binary(Binary::kMultiply, matrix_, elsewhere_)),
        "multiply: the arrays are on cpu and virtual:0"},
       {message_of(checked::binary_in_place(Binary::kAdd, scalar_, four_)),
        "add: shapes () and (4) do not fit"},
       {message_of(checked::binary_in_place(Binary::kAdd, Array(), 1)), "add: an operand is not an array"},
       {message_of(checked::unary(Unary::kExp, Array())), "exp: an operand is not an array"},
       {message_of(checked::select(matrix_, four_, 1)), "where" + shapes},
       {message_of(checked::clip(Array(), 0, 1)), "clip: an operand is not an array"},
       {message_of(checked::relu_gradient(matrix_, four_)), "relu_gradient" + shapes},
       {message_of(checked::l2_loss(matrix_, four_)), "l2_loss" + shapes},
       {message_of(checked::l2_loss(scalar_, scalar_)), "l2_loss: shape () has no axis of rows"},
       {message_of(checked::l2_loss_gradient(matrix_, four_)), "l2_loss_gradient" + shapes},
       {message_of(checked::sgd_update(matrix_, four_, 1, 1)), "sgd_update" + shapes},
       {message_of(checked::sgd_update(matrix_, matrix_, 1, 0)), "sgd_update: the batch has 0 items"},
       {message_of(checked::assign(matrix_, four_)), "assign" + shapes},
       {message_of(checked::assign(Array(), 1)), "assign: an operand is not an array"},
       {message_of(checked::matmul(matrix_, matrix_)), "matmul: shapes (2, 3) and (2, 3) do not fit"},
       {message_of(checked::matmul(matrix_, four_)), "matmul" + shapes},
       {message_of(checked::dense(matrix_, matrix_, &matrix_)), "dense: shapes (2, 3) and (2, 3) do not fit"},
       {message_of(checked::dense(four_, matrix_, nullptr)), "dense: shapes (4) and (2, 3) do not fit"}},
      before);
}

TEST_F(CheckedMisuse, AxesAndShapesThatDoNotFit) {
  const std::int64_t before = enqueued(), twice[] = {0, -2}, two[] = {2}, first[] = {0};
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  const std::vector<Array> unequal{matrix_, four_}, equal_ranks{matrix_, none_};
  expect_errors(
      {{message_of(checked::reduce(Reduction::kSum, matrix_, twice, false)), "sum: axis -2 is named twice"},
       {message_of(checked::reduce(Reduction::kMean, matrix_, two, false)),
        "mean: shape (2, 3) has no axis 2"},
       {message_of(checked::reduce(Reduction::kMax, none_, first, false)),
        "max: shape (0, 3) has no elements along the axes"},
       {message_of(checked::argmax(none_, std::nullopt)),
        "argmax: shape (0, 3) has no elements along the axis"},
       {message_of(checked::softmax(scalar_, -1)), "softmax: shape () has no axis -1"},
       {message_of(checked::sum_to(matrix_, {2})), "sum_to: shapes (2, 3) and (2) do not fit"},
       {message_of(checked::reshape(matrix_, {4})), "reshape: shapes (2, 3) and (4) do not fit"},
       {message_of(checked::reshape(matrix_, {-1})), "reshape: shape (-1) has a negative extent"},
       {message_of(checked::transpose(matrix_, twice)), "transpose: axis -2 is named twice"},
       {message_of(checked::transpose(matrix_, first)), "transpose: 1 axes do not fit shape (2, 3)"},
       {message_of(checked::broadcast_to(matrix_, {3, 2})),
        "broadcast_to: shapes (2, 3) and (3, 2) do not fit"},
       {message_of(checked::concat({}, 0)), "concat: no arrays are given"},
       {message_of(checked::concat(unequal, 0)), "concat: shapes (2, 3) and (4) do not fit"},
       {message_of(checked::concat(equal_ranks, 1)), "concat: shapes (2, 3) and (0, 3) do not fit"},
       {message_of(checked::concat(unequal, 2)), "concat: shape (2, 3) has no axis 2"},
       {message_of(checked::take(scalar_, four_, 0)), "take: shape () has no axis 0"},
       {message_of(checked::pick(matrix_, four_)), "pick: shapes (2, 3) and (4) do not fit"},
       {message_of(checked::one_hot(four_, -1)), "one_hot: shape (4, -1) has a negative extent"},
       {message_of(checked::one_hot(four_, huge)),
        "one_hot: shape (4, 9223372036854775807) has too many elements"},
       {message_of(checked::full(here_, {huge, huge, 0}, 1)),
        "full: shape (9223372036854775807, 9223372036854775807, 0) has too many elements"},
       {message_of(checked::full(here_, Shape(33, 1), 1)), "full: 33 axes are too many; the most are 32"},
       {message_of(checked::full({}, {1}, 1)), "full: no device is given"},
       {message_of(checked::from_host(here_, {2}, {})), "from_host: 0 values do not fit shape (2)"},
       {message_of(checked::arange(here_, 0, 1, 0)), "arange: the step is 0, or a bound is not a number"},
       {message_of(checked::arange(here_, 0, std::numeric_limits<double>::infinity(), 1)),
        "arange: shape (4611686018427387904) has too many elements"}},
      before);
}

TEST_F(CheckedMisuse, RangesThatLeaveTheArray) {
  const std::int64_t before = enqueued();
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min(),
                         kMost = std::numeric_limits<std::int64_t>::max();
  const auto sliced = [&](SliceRange range) {
    return message_of(checked::slice(four_, std::span(&range, 1)));
  };
  const auto assigned = [&](SliceRange range, const checked::Value& value) {
    return message_of(checked::assign_slice(four_, std::span(&range, 1), value));
  };
  const std::string leaves = " leaves axis 0 of shape (4)";
  expect_errors(
      {{message_of(checked::slice(four_, {})), "slice: 0 ranges do not fit shape (4)"},
       {sliced({0, 4, 0}), "slice: the step of axis 0 is 0"},
       {sliced({0, 5, 1}), "slice: range 0:5:1" + leaves},
       {sliced({-1, 2, 1}), "slice: range -1:2:1" + leaves},
       {sliced({3, -2, -1}), "slice: range 3:-2:-1" + leaves},
       {sliced({4, 0, -1}), "slice: range 4:0:-1" + leaves},
       {sliced({kLeast, kMost, 1}), "slice: range -9223372036854775808:9223372036854775807:1" + leaves},
       {sliced({kMost, kLeast, -1}), "slice: range 9223372036854775807:-9223372036854775808:-1" + leaves},
       {sliced({0, kMost, kMost}), ""},
       {sliced({3, -1, kLeast}), ""},
       {assigned({0, 5, 1}, 1), "assign_slice: range 0:5:1" + leaves},
       {assigned({0, 3, 1}, matrix_), "assign_slice: shapes (3) and (2, 3) do not fit"},
       {assigned({0, 3, 1}, elsewhere_), "assign_slice: the arrays are on cpu and virtual:0"}},
      before + 2);
}

// ---- devices ----------------------------------------------------------------------------------------------

class CheckedOnCuda : public ::testing::Test {
 protected:
  OpenEngine open_{EngineOptions{}, "cuda:0"};
  [[nodiscard]] Array there(const Array& a) const { return copy_to(a, open_.here); }
  static std::vector<float> read(const Result<Array>& a) {
    EXPECT_TRUE(a.ok()) << message_of(a);
    const Result<std::vector<float>> values = a->asnumpy();
    EXPECT_TRUE(values.ok()) << (values.ok() ? "" : values.error().message);
    return values.ok() ? *values : std::vector<float>{};
  }
};

TEST_F(CheckedOnCuda, TheOperatorsWithPrimitivesGiveTheValuesOfTheCpu) {
  const Array host_a = uniform(open_.cpu, {8, 6}, {1, 0}, -1, 1), host_b = uniform(open_.cpu, {8, 6}, {1, 1}),
              host_row = uniform(open_.cpu, {6}, {1, 2}), host_batch = uniform(open_.cpu, {2, 4, 6}, {1, 3}),
              host_none = full(open_.cpu, {0, 6}, 1);
  const std::int64_t first[] = {0};
  const SliceRange rows[] = {{2, 5, 1}, {0, 6, 1}}, empty[] = {{2, 2, 1}, {0, 6, 2}};
  struct Inputs {
    Array a, b, row, batch, none;
    Context context;
  };
  const std::vector<std::function<Result<Array>(const Inputs&)>> all = {
      [](const Inputs& in) { return checked::binary(Binary::kAdd, in.a, in.b); },
      [](const Inputs& in) { return checked::binary(Binary::kDivide, in.a, in.b); },
      [](const Inputs& in) { return checked::binary(Binary::kAdd, in.a, in.row); },
      [](const Inputs& in) { return checked::binary(Binary::kAdd, in.row, in.a); },
      [](const Inputs& in) { return checked::binary(Binary::kSubtract, 2, in.a); },
      [](const Inputs& in) { return checked::binary(Binary::kMultiply, in.a, 3); },
      [](const Inputs& in) { return checked::binary(Binary::kPower, in.a, 2); },
      [](const Inputs& in) { return checked::unary(Unary::kNegative, in.a); },
      [](const Inputs& in) { return checked::unary(Unary::kSquare, in.a); },
      [](const Inputs& in) { return checked::unary(Unary::kRelu, in.a); },
      [](const Inputs& in) { return checked::reduce(Reduction::kSum, in.a, std::nullopt, true); },
      [&](const Inputs& in) { return checked::reduce(Reduction::kSum, in.a, first, false); },
      [&](const Inputs& in) { return checked::reduce(Reduction::kMean, in.a, first, false); },
      [&](const Inputs& in) { return checked::reduce(Reduction::kProd, in.none, first, false); },
      [](const Inputs& in) { return checked::sum_to(in.a, {6}); },
      [](const Inputs& in) { return checked::reshape(in.a, {48}); },
      [](const Inputs& in) {
        return checked::broadcast_to(in.row, {8, 6});
      },
      [&](const Inputs& in) { return checked::slice(in.a, rows); },
      [&](const Inputs& in) { return checked::slice(in.a, empty); },
      [](const Inputs& in) {
        return checked::concat(std::vector<Array>{in.a, in.b, in.none}, 0);
      },
      [](const Inputs& in) { return checked::matmul(in.batch, in.batch, Transpose::kNo, Transpose::kYes); },
      [](const Inputs& in) { return checked::dense(in.a, in.b, nullptr); },
      [](const Inputs& in) { return checked::arange(in.context, 0, 3, 0.5); },
      [](const Inputs& in) { return checked::eye(in.context, 3, 4); },
      [&](const Inputs& in) -> Result<Array> {
        const Array a = copy_to(in.a, in.context);
        (void)checked::assign_slice(a, rows, 4);
        (void)checked::binary_in_place(Binary::kAdd, a, in.row);
        (void)checked::binary_in_place(Binary::kMultiply, a, 0.5f);
        return a;
      }};
  const Inputs host{host_a, host_b, host_row, host_batch, host_none, open_.cpu};
  const Inputs cuda{there(host_a),     there(host_b),    there(host_row),
                    there(host_batch), there(host_none), open_.here};
  for (std::size_t i = 0; i < all.size(); ++i) {
    SCOPED_TRACE("operator " + std::to_string(i));
    EXPECT_EQ(read(all[i](cuda)), read(all[i](host)));
  }
}

TEST_F(CheckedOnCuda, TheOthersNameTheDevice) {
  const Array a = full(open_.here, {2, 3}, 1), b = full(open_.here, {3, 1}, 1);
  const std::int64_t before = open_.engine->stats().ops_enqueued, last[] = {1};
  const SliceRange odd[] = {{0, 2, 1}, {0, 3, 2}};
  const std::vector<Array> twice{a, a};
  const std::string why = ": cuda:0 cannot compute this; copy the arrays to the cpu first";
  EXPECT_EQ(message_of(checked::binary(Binary::kMaximum, a, a)), "maximum" + why);
  EXPECT_EQ(message_of(checked::binary(Binary::kDivide, 1, a)), "divide" + why);
  EXPECT_EQ(message_of(checked::binary(Binary::kAdd, b, full(open_.here, {1, 3}, 1))), "add" + why);
  EXPECT_EQ(message_of(checked::binary_in_place(Binary::kPower, a, 3)), "power" + why);
  EXPECT_EQ(message_of(checked::unary(Unary::kExp, a)), "exp" + why);
  EXPECT_EQ(message_of(checked::clip(a, 0, 1)), "clip" + why);
  EXPECT_EQ(message_of(checked::select(a, 0, 1)), "where" + why);
  EXPECT_EQ(message_of(checked::reduce(Reduction::kSum, a, last, false)), "sum" + why);
  EXPECT_EQ(message_of(checked::argmax(a, 0)), "argmax" + why);
  EXPECT_EQ(message_of(checked::softmax(a, 0)), "softmax" + why);
  EXPECT_EQ(message_of(checked::transpose(a, std::nullopt)), "transpose" + why);
  EXPECT_EQ(message_of(checked::slice(a, odd)), "slice" + why);
  EXPECT_EQ(message_of(checked::assign_slice(a, odd, 1)), "assign_slice" + why);
  EXPECT_EQ(message_of(checked::concat(twice, 1)), "concat" + why);
  EXPECT_EQ(message_of(checked::take(a, a, 0)), "take" + why);
  EXPECT_EQ(message_of(checked::one_hot(a, 2)), "one_hot" + why);
  EXPECT_EQ(open_.engine->stats().ops_enqueued, before + 1);  // the full() above
}

}  // namespace
}  // namespace runahead::engine
