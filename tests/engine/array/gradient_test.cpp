// Compares the gradients of an MLP with finite differences of the same loss in double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "tests/engine/array/every_engine.h"

namespace runahead::engine {
namespace {

constexpr std::int64_t kBatch = 6, kInputs = 5, kHidden = 4;

struct Net {
  std::vector<double> x, y, w1, b1, w2, b2;
};

double loss_of(const Net& net) {
  double loss = 0;
  for (std::int64_t r = 0; r < kBatch; ++r) {
    double prediction = net.b2[0];
    for (std::int64_t h = 0; h < kHidden; ++h) {
      double z = net.b1[static_cast<std::size_t>(h)];
      for (std::int64_t i = 0; i < kInputs; ++i) {
        z += net.x[static_cast<std::size_t>(r * kInputs + i)] *
             net.w1[static_cast<std::size_t>(h * kInputs + i)];
      }
      prediction += std::max(0.0, z) * net.w2[static_cast<std::size_t>(h)];
    }
    const double error = net.y[static_cast<std::size_t>(r)] - prediction;
    loss += error * error / 2;
  }
  return loss;
}

std::vector<double> finite_differences(Net net, std::vector<double> Net::*parameter) {
  constexpr double kStep = 1e-6;
  std::vector<double> gradient;
  for (double& value : net.*parameter) {
    const double kept = value;
    value = kept + kStep;
    const double above = loss_of(net);
    value = kept - kStep;
    const double below = loss_of(net);
    value = kept;
    gradient.push_back((above - below) / (2 * kStep));
  }
  return gradient;
}

class Gradient : public EveryEngine {
 protected:
  static std::vector<double> random_values(std::int64_t count, std::uint64_t stream) {
    std::vector<double> values;
    // The values are spread over (-1, 1) with an irrational step, so that no ReLU gets the input 0, where
    // ReLU has no derivative.
    for (std::int64_t i = 0; i < count; ++i) {
      const double part =
          static_cast<double>(i + 1) * 0.6180339887 + static_cast<double>(stream) * 0.3141592653;
      values.push_back(static_cast<double>(static_cast<float>(2 * (part - std::floor(part)) - 1)));
    }
    return values;
  }
  [[nodiscard]] Array upload(const Shape& shape, const std::vector<double>& values) const {
    return array(shape, std::vector<float>(values.begin(), values.end()));
  }
  static void expect_equal(const Array& gradient, const std::vector<double>& expected) {
    const std::vector<float> values = read(gradient);
    ASSERT_EQ(values.size(), expected.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_NEAR(static_cast<double>(values[i]), expected[i], 1e-4 * std::max(1.0, std::fabs(expected[i])))
          << "at " << i;
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Everywhere, Gradient, ::testing::ValuesIn(every_place()), name_of_place);

TEST_P(Gradient, OfAnMlpEqualsFiniteDifferencesForEachParameter) {
  const Net net{random_values(kBatch * kInputs, 1),  random_values(kBatch, 2),
                random_values(kHidden * kInputs, 3), random_values(kHidden, 4),
                random_values(kHidden, 5),           random_values(1, 6)};
  const Array x = upload({kBatch, kInputs}, net.x), y = upload({kBatch}, net.y);
  const Array w1 = upload({kHidden, kInputs}, net.w1), b1 = upload({kHidden}, net.b1);
  const Array w2 = upload({1, kHidden}, net.w2), b2 = upload({1}, net.b2);

  const Array z = dense(x, w1, b1), h = relu(z), prediction = dense(h, w2, b2);
  EXPECT_NEAR(static_cast<double>(read(sum(l2_loss(prediction, y)))[0]), loss_of(net), 1e-4);

  const Array g = l2_loss_gradient(prediction, y);
  EXPECT_EQ(g.shape(), prediction.shape());
  const Array g_hidden = relu_gradient(matmul(g, w2), z);
  expect_equal(matmul(g, h, Transpose::kYes), finite_differences(net, &Net::w2));
  expect_equal(sum_rows(g), finite_differences(net, &Net::b2));
  expect_equal(matmul(g_hidden, x, Transpose::kYes), finite_differences(net, &Net::w1));
  expect_equal(sum_rows(g_hidden), finite_differences(net, &Net::b1));
  expect_equal(matmul(g_hidden, w1), finite_differences(net, &Net::x));
}

TEST_P(Gradient, OfTheL2LossIsThePredictionMinusTheLabelPerRow) {
  const Array p = array({2, 2}, {1, 2, 3, 4}), y = array({2, 2}, {0, 4, 3, 1});
  EXPECT_EQ(read(l2_loss(p, y)), (std::vector<float>{2.5f, 4.5f}));
  EXPECT_EQ(read(l2_loss_gradient(p, y)), (std::vector<float>{1, -2, 0, 3}));
}

}  // namespace
}  // namespace runahead::engine
