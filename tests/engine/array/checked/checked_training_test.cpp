// Tests the matrix products, the losses, and the functions that make arrays.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "tests/engine/array/checked/naive.h"

namespace runahead::engine {
namespace {

class CheckedTraining : public CheckedOperators {};
INSTANTIATE_TEST_SUITE_P(Everywhere, CheckedTraining, ::testing::ValuesIn(host_places()), name_of_place);

TEST_P(CheckedTraining, MatmulMultipliesTheLastTwoAxes) {
  for (int round = 0; round < kRounds; ++round) {
    Shape batch = random_shape(0, 2);
    for (std::int64_t& extent : batch) extent = std::min<std::int64_t>(extent, 3);
    const std::int64_t m = random_.integer(0, 9), n = random_.integer(0, 9), k = random_.integer(0, 9);
    const bool ta = random_.chance(0.5), tb = random_.chance(0.5);
    Shape left = batch, right = batch, shape = batch;
    left.insert(left.end(), {ta ? k : m, ta ? m : k});
    right.insert(right.end(), {tb ? n : k, tb ? k : n});
    shape.insert(shape.end(), {m, n});
    const Naive a = random_array(left), b = random_array(right);
    const auto element = [&](const Naive& naive, Index at, std::int64_t row, std::int64_t column) {
      at[at.size() - 2] = row, at.back() = column;
      return naive.at(at);
    };
    const Naive expected = made(shape, [&](const Index& at) {
      double total = 0;
      const std::int64_t i = at[at.size() - 2], j = at.back();
      for (std::int64_t l = 0; l < k; ++l)
        total += (ta ? element(a, at, l, i) : element(a, at, i, l)) *
                 (tb ? element(b, at, j, l) : element(b, at, l, j));
      return total;
    });
    expect_equal(checked::matmul(upload(a), upload(b), Transpose{ta}, Transpose{tb}), expected);
  }
}

TEST_P(CheckedTraining, DenseWithAndWithoutBias) {
  for (int round = 0; round < kRounds; ++round) {
    const std::int64_t m = random_.integer(0, 9), n = random_.integer(0, 9), k = random_.integer(0, 9);
    const Naive x = random_array({m, k}), weight = random_array({n, k}), bias = random_array({n});
    const auto product = [&](const Index& at) {
      double total = 0;
      for (std::int64_t l = 0; l < k; ++l) total += x.at({at[0], l}) * weight.at({at[1], l});
      return total;
    };
    const Array b = upload(bias);
    expect_equal(checked::dense(upload(x), upload(weight), nullptr), made({m, n}, product));
    expect_equal(checked::dense(upload(x), upload(weight), &b),
                 made({m, n}, [&](const Index& at) { return product(at) + bias.at({at[1]}); }));
  }
}

TEST_P(CheckedTraining, LossesAndUpdatesAreThoseOfTheOperators) {
  const Array p = uniform(here_, {5, 3}, {1, 0}), l = uniform(here_, {5, 3}, {1, 1});
  EXPECT_EQ(read(*checked::l2_loss(p, l)), read(l2_loss(p, l)));
  EXPECT_EQ(read(*checked::l2_loss_gradient(p, l)), read(l2_loss_gradient(p, l)));
  EXPECT_EQ(read(*checked::relu_gradient(p, l)), read(relu_gradient(p, l)));
  const Array q = copy_to(p, here_);
  sgd_update(p, l, 0.5f, 3);
  ASSERT_TRUE(checked::sgd_update(q, l, 0.5f, 3).ok());
  EXPECT_EQ(read(q), read(p));
}

TEST_P(CheckedTraining, ArraysWithoutElementsHaveNoLoss) {
  const Array none = upload(Naive{{0, 3}, {}}), narrow = upload(Naive{{2, 0}, {}});
  expect_equal(checked::l2_loss(none, none), Naive{{0}, {}});
  expect_equal(checked::l2_loss(narrow, narrow), Naive{{2}, {0, 0}});
  expect_equal(checked::l2_loss_gradient(none, none), Naive{{0, 3}, {}});
  ASSERT_TRUE(checked::sgd_update(none, none, 1, 1).ok());
}

TEST_P(CheckedTraining, CreatorsTakeAnyShape) {
  for (const Shape& shape : {Shape{}, Shape{0}, Shape{2, 0, 3}, Shape{2, 3}}) {
    const auto count = static_cast<std::size_t>(element_count(shape));
    expect_equal(checked::full(here_, shape, 2.5f), Naive{shape, std::vector<double>(count, 2.5)});
    const Result<Array> random = checked::uniform(here_, shape, {1, 2}, 0, 1);
    EXPECT_EQ(read(*random).size(), count);
    EXPECT_EQ(read(*checked::normal(here_, shape, {1, 2}, 0, 1)).size(), count);
    EXPECT_EQ(read(*checked::copy_to(*random, open_.cpu)), read(*random));
    EXPECT_EQ(read(*checked::copy_to(*random, here_)), read(*random));
  }
}

TEST_P(CheckedTraining, ArangeAndEye) {
  const auto floats = [&](double start, double stop, double step) {
    return read(*checked::arange(here_, start, stop, step));
  };
  EXPECT_EQ(floats(0, 4, 1), (std::vector<float>{0, 1, 2, 3}));
  EXPECT_EQ(floats(1, 2, 0.4), (std::vector<float>{1, 1.4f, 1.8f}));
  EXPECT_EQ(floats(3, 0, -1), (std::vector<float>{3, 2, 1}));
  EXPECT_EQ(floats(3, 0, 1), (std::vector<float>{}));
  EXPECT_EQ(read(*checked::eye(here_, 2, 3)), (std::vector<float>{1, 0, 0, 0, 1, 0}));
  EXPECT_EQ(read(*checked::eye(here_, 3, 2)), (std::vector<float>{1, 0, 0, 1, 0, 0}));
  expect_equal(checked::eye(here_, 0, 2), Naive{{0, 2}, {}});
}

TEST_P(CheckedTraining, AssignTakesAnArrayOfTheSameSizeOrANumber) {
  const Array a = array({2, 2}, {1, 2, 3, 4});
  ASSERT_TRUE(checked::assign(a, array({4}, {5, 6, 7, 8})).ok());
  EXPECT_EQ(read(a), (std::vector<float>{5, 6, 7, 8}));
  ASSERT_TRUE(checked::assign(a, a).ok());
  ASSERT_TRUE(checked::assign(a, 3).ok());
  EXPECT_EQ(read(a), (std::vector<float>{3, 3, 3, 3}));
}

}  // namespace
}  // namespace runahead::engine
