// Tests the reductions, argmax and softmax against references in double precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "tests/engine/array/checked/naive.h"

namespace runahead::engine {
namespace {

using checked::Reduction;

class CheckedReduce : public CheckedOperators {
 protected:
  // Some of the axes of `shape`, in any order; nullopt: all.
  std::optional<std::vector<std::int64_t>> random_axes(const Shape& shape) {
    if (random_.chance(0.2)) return std::nullopt;
    std::vector<std::int64_t> axes;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      if (random_.chance(0.5))
        axes.insert(axes.begin() + random_.integer(0, static_cast<std::int64_t>(axes.size())),
                    said_axis(shape, axis));
    }
    return axes;
  }
};
INSTANTIATE_TEST_SUITE_P(Everywhere, CheckedReduce, ::testing::ValuesIn(host_places()), name_of_place);

bool contains(const std::optional<std::vector<std::int64_t>>& axes, const Shape& shape, std::size_t axis) {
  if (!axes) return true;
  for (const std::int64_t said : *axes) {
    if (said == static_cast<std::int64_t>(axis)) return true;
    if (said + static_cast<std::int64_t>(shape.size()) == static_cast<std::int64_t>(axis)) return true;
  }
  return false;
}

double reference_of(Reduction op, const std::vector<double>& all) {
  double sum = 0, squares = 0, product = 1;
  for (const double x : all) sum += x, squares += x * x, product *= x;
  switch (op) {
    case Reduction::kSum:
      return sum;
    case Reduction::kMean:
      return sum / static_cast<double>(all.size());
    case Reduction::kMax:
      return *std::max_element(all.begin(), all.end());
    case Reduction::kMin:
      return *std::min_element(all.begin(), all.end());
    case Reduction::kProd:
      return product;
    case Reduction::kNorm:
      return std::sqrt(squares);
  }
  return 0;
}

constexpr Reduction kEveryReduction[] = {Reduction::kSum, Reduction::kMean, Reduction::kMax,
                                         Reduction::kMin, Reduction::kProd, Reduction::kNorm};

// Collects the elements of each result, with the reduced axes kept.
struct Groups {
  Shape kept, without;
  std::vector<std::vector<double>> members;
};
Groups groups_of(const Naive& a, const std::optional<std::vector<std::int64_t>>& axes) {
  Groups groups{a.shape, {}, {}};
  for (std::size_t axis = 0; axis < a.shape.size(); ++axis) {
    if (contains(axes, a.shape, axis)) {
      groups.kept[axis] = 1;
    } else {
      groups.without.push_back(a.shape[axis]);
    }
  }
  const Naive where{groups.kept, {}};
  groups.members.resize(static_cast<std::size_t>(element_count(groups.kept)));
  for_each_index(a.shape, [&](const Index& index) {
    Index to = index;
    for (std::size_t axis = 0; axis < to.size(); ++axis) {
      if (groups.kept[axis] == 1) to[axis] = 0;
    }
    groups.members[where.position(to)].push_back(a.at(index));
  });
  return groups;
}

TEST_P(CheckedReduce, OverAnyAxes) {
  for (int round = 0; round < kRounds; ++round) {
    const Naive a = random_array(random_shape());
    const auto axes = random_axes(a.shape);
    const bool keep = random_.chance(0.5);
    const Groups groups = groups_of(a, axes);
    const Array x = upload(a);
    for (const Reduction op : kEveryReduction) {
      const bool fails = (op == Reduction::kMax || op == Reduction::kMin) && a.values.empty();
      if (fails && !groups.members.empty()) continue;  // an error; see checked_misuse_test.cpp
      Naive expected{keep ? groups.kept : groups.without, {}};
      for (const auto& members : groups.members) expected.values.push_back(reference_of(op, members));
      SCOPED_TRACE(std::string(checked::name_of(op)) + " of " + to_string(a.shape));
      expect_equal(checked::reduce(op, x, axes ? checked::Axes(*axes) : std::nullopt, keep), expected, 2e-7);
    }
  }
}

TEST_P(CheckedReduce, SumsEqualTheOperatorsBitForBit) {
  const Array a = uniform(here_, {123, 77}, {3, 0}, -1, 1);
  const std::int64_t rows[] = {0};
  EXPECT_EQ(read(*checked::reduce(Reduction::kSum, a, std::nullopt, false)), read(sum(a)));
  EXPECT_EQ(read(*checked::reduce(Reduction::kMean, a, std::nullopt, false)), read(mean(a)));
  EXPECT_EQ(read(*checked::reduce(Reduction::kSum, a, rows, false)), read(sum_rows(a)));
}

TEST_P(CheckedReduce, SumsAccumulateInDouble) {
  const Naive a = made({3, 4000}, [](const Index& i) { return i[1] == 0 ? 16777216.0 : 0.25; });
  const std::int64_t last[] = {1};
  expect_equal(checked::reduce(Reduction::kSum, upload(a), last, false),
               Naive{{3}, std::vector<double>(3, 16777216 + 3999 * 0.25)});
}

TEST_P(CheckedReduce, MaxMinAndArgmaxKeepNaN) {
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  const Array a = array({2, 3}, {1, kNaN, 3, 4, 5, kNaN});
  for (const std::int64_t axis : {0, 1}) {
    const std::int64_t axes[] = {axis};
    for (const Reduction op : {Reduction::kMax, Reduction::kMin}) {
      const std::vector<float> values = read(*checked::reduce(op, a, axes, false));
      EXPECT_TRUE(std::isnan(values[1]));
      EXPECT_EQ(std::isnan(values[0]), axis == 1);
    }
  }
  EXPECT_EQ(read(*checked::argmax(a, 1)), (std::vector<float>{1, 2}));
  EXPECT_EQ(read(*checked::argmax(a, 0)), (std::vector<float>{1, 0, 1}));
  EXPECT_EQ(read(*checked::argmax(a, std::nullopt)), std::vector<float>{1});
}

TEST_P(CheckedReduce, ArgmaxIsTheFirstLargest) {
  for (int round = 0; round < kRounds; ++round) {
    const Naive a = random_array(random_filled_shape(1, 4));
    const std::size_t axis = random_axis(a.shape);
    Shape shape = a.shape;
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
    const Naive expected = made(shape, [&](const Index& index) {
      Index at = index;
      at.insert(at.begin() + static_cast<std::ptrdiff_t>(axis), 0);
      std::int64_t best = 0;
      double most = a.at(at);
      for (std::int64_t i = 1; i < a.shape[axis]; ++i) {
        at[axis] = i;
        if (a.at(at) > most) most = a.at(at), best = i;
      }
      return static_cast<double>(best);
    });
    const Array x = upload(a);
    expect_equal(checked::argmax(x, said_axis(a.shape, axis)), expected);
    const auto largest = std::max_element(a.values.begin(), a.values.end());
    expect_equal(checked::argmax(x, std::nullopt),
                 Naive{{}, {static_cast<double>(largest - a.values.begin())}});
  }
}

TEST_P(CheckedReduce, SoftmaxAndItsLogarithm) {
  for (int round = 0; round < kRounds; ++round) {
    const Naive a = random_array(random_shape(1, 4), -40, 40);
    const std::size_t axis = random_axis(a.shape);
    const auto sum_of_exp = [&](Index at, double largest) {
      double total = 0;
      for (at[axis] = 0; at[axis] < a.shape[axis]; ++at[axis]) total += std::exp(a.at(at) - largest);
      return total;
    };
    const Naive soft = made(a.shape, [&](const Index& at) { return 1 / sum_of_exp(at, a.at(at)); });
    const Naive logarithm =
        made(a.shape, [&](const Index& at) { return -std::log(sum_of_exp(at, a.at(at))); });
    const Array x = upload(a);
    expect_equal(checked::softmax(x, said_axis(a.shape, axis)), soft, 1e-6);
    expect_equal(checked::log_softmax(x, said_axis(a.shape, axis)), logarithm, 1e-6);
  }
}

TEST_P(CheckedReduce, SoftmaxOfLargeNumbersDoesNotOverflow) {
  const Array a = array({1, 2}, {1000, 1000});
  EXPECT_EQ(read(*checked::softmax(a, 1)), (std::vector<float>{0.5f, 0.5f}));
  EXPECT_EQ(read(*checked::softmax(a, 0)), (std::vector<float>{1, 1}));
}

TEST_P(CheckedReduce, SumToUndoesABroadcast) {
  for (int round = 0; round < kRounds; ++round) {
    const Naive a = random_array(random_shape());
    Naive expected = made(random_operand_shape(a.shape), [](const Index&) { return 0.0; });
    for_each_index(a.shape, [&](const Index& index) {
      Index to(index.end() - static_cast<std::ptrdiff_t>(expected.shape.size()), index.end());
      for (std::size_t axis = 0; axis < to.size(); ++axis) {
        if (expected.shape[axis] == 1) to[axis] = 0;
      }
      expected.at(to) += a.at(index);
    });
    expect_equal(checked::sum_to(upload(a), expected.shape), expected);
  }
}

}  // namespace
}  // namespace runahead::engine
