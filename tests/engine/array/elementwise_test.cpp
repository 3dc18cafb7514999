#include <gtest/gtest.h>

#include "tests/engine/array/every_engine.h"

namespace runahead::engine {
namespace {

class Elementwise : public EveryEngine {};
INSTANTIATE_TEST_SUITE_P(Everywhere, Elementwise, ::testing::ValuesIn(every_place()), name_of_place);

TEST_P(Elementwise, ArithmeticOfTwoArraysIsElementByElement) {
  const std::vector<float> a = {1, 2, 3, -4}, b = {2, 0.5f, -1, 8};
  const Array x = array({2, 2}, a), y = array({2, 2}, b);
  EXPECT_EQ(read(x + y), (std::vector<float>{3, 2.5f, 2, 4}));
  EXPECT_EQ(read(x - y), (std::vector<float>{-1, 1.5f, 4, -12}));
  EXPECT_EQ(read(x * y), (std::vector<float>{2, 1, -3, -32}));
  EXPECT_EQ(read(x / y), (std::vector<float>{0.5f, 4, -3, -0.5f}));
}

TEST_P(Elementwise, ArithmeticWithAScalarTakesItForEachElement) {
  const Array x = array({3}, {1, -2, 4});
  EXPECT_EQ(read(x + 1), (std::vector<float>{2, -1, 5}));
  EXPECT_EQ(read(x - 1), (std::vector<float>{0, -3, 3}));
  EXPECT_EQ(read(x * 2), (std::vector<float>{2, -4, 8}));
  EXPECT_EQ(read(x / 2), (std::vector<float>{0.5f, -1, 2}));
}

TEST_P(Elementwise, AnArrayMayBeBothOperands) {
  const Array x = array({3}, {1, -2, 4});
  EXPECT_EQ(read(x * x), (std::vector<float>{1, 4, 16}));
  EXPECT_EQ(read(x - x), (std::vector<float>{0, 0, 0}));
}

TEST_P(Elementwise, SourcesFillTheWholeShape) {
  EXPECT_EQ(read(ones(here_, {2, 3})), std::vector<float>(6, 1.0f));
  EXPECT_EQ(read(zeros(here_, {4})), std::vector<float>(4, 0.0f));
  EXPECT_EQ(read(full(here_, {1, 1, 2}, 2.5f)), std::vector<float>(2, 2.5f));
}

TEST_P(Elementwise, ReluKeepsWhatIsPositiveAndItsGradientPassesThere) {
  const Array x = array({4}, {-1, 0, 2, 3}), g = array({4}, {10, 20, 30, 40});
  EXPECT_EQ(read(relu(x)), (std::vector<float>{0, 0, 2, 3}));
  EXPECT_EQ(read(relu_gradient(g, x)), (std::vector<float>{0, 0, 30, 40}));
}

TEST_P(Elementwise, SgdMovesTheParameterInPlaceByRateOverBatch) {
  const Array parameter = array({3}, {1, 2, 3}), gradient = array({3}, {4, -8, 0});
  sgd_update(parameter, gradient, 0.5f, 4);
  EXPECT_EQ(read(parameter), (std::vector<float>{0.5f, 3, 3}));
  sgd_update(parameter, gradient, 0.5f, 4);
  EXPECT_EQ(read(parameter), (std::vector<float>{0, 4, 3}));
}

TEST_P(Elementwise, WhatWasReadBeforeAnInPlaceChangeKeepsItsValue) {
  const Array parameter = array({2}, {1, 2}), gradient = array({2}, {1, 1});
  const Array before = parameter * 10;
  sgd_update(parameter, gradient, 1, 1);
  const Array after = parameter * 10;
  EXPECT_EQ(read(before), (std::vector<float>{10, 20}));
  EXPECT_EQ(read(after), (std::vector<float>{0, 10}));
}

TEST_P(Elementwise, AssignCopiesValuesAndLeavesTheSourceAlone) {
  const Array to = zeros(here_, {2}), from = array({2}, {5, 6});
  assign(to, from);
  assign(to, to);
  EXPECT_EQ(read(to), (std::vector<float>{5, 6}));
  EXPECT_EQ(read(from), (std::vector<float>{5, 6}));
}

TEST_P(Elementwise, CopiesBetweenDevicesKeepEveryBit) {
  const std::vector<float> values = simple_values(1000, 3);
  const Array there = array({10, 100}, values);
  const Array on_cpu = copy_to(there, open_.cpu);
  const Array back = copy_to(on_cpu, here_, HostMemory::kPageable);
  EXPECT_EQ(on_cpu.context(), open_.cpu);
  EXPECT_EQ(back.context(), here_);
  EXPECT_EQ(read(on_cpu), values);
  EXPECT_EQ(read(back), values);
}

TEST_P(Elementwise, ACopyOnOneDeviceIsIndependent) {
  const Array a = array({2}, {1, 2});
  const Array b = copy_to(a, here_);
  sgd_update(a, ones(here_, {2}), 1, 1);
  EXPECT_EQ(read(b), (std::vector<float>{1, 2}));
}

TEST_P(Elementwise, YourOwnOpGetsInputsOutputsAndWhatItChangesInPlace) {
  static constexpr record::Site kSite{"halve", trace::SliceKind::kExecute};
  const Array input = array({2}, {2, 4}), changed = array({1}, {1});
  const std::vector<Array> made =
      apply(here_, {.site = &kSite, .inputs = {input}, .in_place = {changed}, .shapes = {{2}, {1}}},
            [](const Values& v) {
              v.math.map(WithScalar::kDivide, v.in[0], 2.0f, v.out[0], 2);
              v.math.total(v.in[0], 2, 1.0, v.out[1]);
              v.math.map(WithScalar::kAdd, v.out[2], 9.0f, v.out[2], 1);
            });
  ASSERT_EQ(made.size(), 2u);
  EXPECT_EQ(read(made[0]), (std::vector<float>{1, 2}));
  EXPECT_EQ(read(made[1]), (std::vector<float>{6}));
  EXPECT_EQ(read(changed), (std::vector<float>{10}));
}

TEST_P(Elementwise, AnOpMayReadMoreArraysThanUsual) {
  static constexpr record::Site kSite{"sum of many", trace::SliceKind::kExecute};
  std::vector<Array> inputs;
  for (int i = 1; i <= 20; ++i) inputs.push_back(full(here_, {1}, static_cast<float>(i)));
  const std::vector<Array> made =
      apply(here_, {.site = &kSite, .inputs = inputs, .shapes = {{1}}}, [](const Values& v) {
        v.math.fill(v.out[0], 1, 0.0f);
        for (const float* in : v.in) v.math.map(OfTwo::kAdd, v.out[0], in, v.out[0], 1);
      });
  EXPECT_EQ(read(made[0]), (std::vector<float>{210}));
}

}  // namespace
}  // namespace runahead::engine
