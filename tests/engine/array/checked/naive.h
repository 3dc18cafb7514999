// What the tests of the checked operators share. A Naive is an array in double precision, with one slow and
// obvious access: by an index per axis. The references of the operators are written in terms of it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/array/checked/checked.h"
#include "tests/engine/array/every_engine.h"
#include "tests/support/random.h"

namespace runahead::engine {

using Index = std::vector<std::int64_t>;

// Calls function(index) for each index of the shape, in row-major order.
inline void for_each_index(const Shape& shape, const std::function<void(const Index&)>& function,
                           Index index = {}) {
  if (index.size() == shape.size()) return function(index);
  for (std::int64_t i = 0; i < shape[index.size()]; ++i) {
    Index longer = index;
    longer.push_back(i);
    for_each_index(shape, function, longer);
  }
}

struct Naive {
  Shape shape;
  std::vector<double> values;

  [[nodiscard]] std::size_t position(const Index& index) const {
    std::int64_t at = 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) at = at * shape[axis] + index[axis];
    return static_cast<std::size_t>(at);
  }
  [[nodiscard]] double at(const Index& index) const { return values[position(index)]; }
  [[nodiscard]] double& at(const Index& index) { return values[position(index)]; }
  // The element for `index` of a shape to which this array is broadcast.
  [[nodiscard]] double broadcast_at(const Index& index) const {
    Index mine(index.end() - static_cast<std::ptrdiff_t>(shape.size()), index.end());
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      if (shape[axis] == 1) mine[axis] = 0;
    }
    return at(mine);
  }
};

// The array of `shape` whose elements are function(index).
inline Naive made(const Shape& shape, const std::function<double(const Index&)>& function) {
  Naive result{shape, {}};
  for_each_index(shape, [&](const Index& index) { result.values.push_back(function(index)); });
  return result;
}

inline const std::vector<Place>& host_places() {
  static const std::vector<Place> places = {{EngineKind::kNaive, "cpu"},
                                            {EngineKind::kThreaded, "cpu"},
                                            {EngineKind::kNaive, "virtual:0"},
                                            {EngineKind::kThreaded, "virtual:0"}};
  return places;
}

// Tests that run each operator on random shapes.
class CheckedOperators : public EveryEngine {
 protected:
  static constexpr int kRounds = 25;

  // Rank `low` to `high`. Axes are short, sometimes empty. A shape with few axes may be long.
  [[nodiscard]] Shape random_shape(std::int64_t low = 0, std::int64_t high = 4) {
    Shape shape(static_cast<std::size_t>(random_.integer(low, high)));
    const bool may_be_empty = random_.chance(0.15);
    const std::int64_t most = shape.size() <= 2 ? 70 : 6;
    for (std::int64_t& extent : shape)
      extent = random_.chance(0.2) ? 1 : random_.integer(may_be_empty ? 0 : 1, most);
    return shape;
  }
  // A shape without empty axes.
  [[nodiscard]] Shape random_filled_shape(std::int64_t low, std::int64_t high) {
    Shape shape = random_shape(low, high);
    for (std::int64_t& extent : shape) extent = std::max<std::int64_t>(extent, 1);
    return shape;
  }
  // A shape that can be broadcast to `shape`.
  [[nodiscard]] Shape random_operand_shape(const Shape& shape) {
    const auto dropped =
        random_.chance(0.3) ? random_.integer(0, static_cast<std::int64_t>(shape.size())) : 0;
    Shape operand(shape.begin() + dropped, shape.end());
    for (std::int64_t& extent : operand) {
      if (random_.chance(0.25)) extent = 1;
    }
    return operand;
  }
  [[nodiscard]] std::size_t random_axis(const Shape& shape) {
    return static_cast<std::size_t>(random_.integer(0, static_cast<std::int64_t>(shape.size()) - 1));
  }
  // The axis, or the same axis counted from the end.
  [[nodiscard]] std::int64_t said_axis(const Shape& shape, std::size_t axis) {
    const auto whole = static_cast<std::int64_t>(axis), rank = static_cast<std::int64_t>(shape.size());
    return random_.chance(0.5) ? whole : whole - rank;
  }
  // Multiples of 0.5, so that equal elements occur.
  [[nodiscard]] Naive random_array(const Shape& shape, std::int64_t low = -8, std::int64_t high = 8) {
    return made(shape, [&](const Index&) { return 0.5 * static_cast<double>(random_.integer(low, high)); });
  }
  [[nodiscard]] Naive random_indices(const Shape& shape, std::int64_t low, std::int64_t below) {
    return made(shape, [&](const Index&) { return static_cast<double>(random_.integer(low, below - 1)); });
  }
  [[nodiscard]] Array upload(const Naive& naive) const {
    const std::vector<float> values(naive.values.begin(), naive.values.end());
    Result<Array> array = checked::from_host(here_, naive.shape, values);
    EXPECT_TRUE(array.ok());
    return std::move(*array);
  }

  // tolerance: relative to 1 + the expected value. Stops at the first wrong element.
  static void expect_equal(const Result<Array>& result, const Naive& expected, double tolerance = 0) {
    ASSERT_TRUE(result.ok()) << result.error().message;
    ASSERT_EQ(result->shape(), expected.shape);
    const std::vector<float> values = read(*result);
    ASSERT_EQ(values.size(), expected.values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double value = values[i], right = static_cast<double>(static_cast<float>(expected.values[i]));
      const bool equal = value == right || (std::isnan(value) && std::isnan(right)) ||
                         std::abs(value - right) <= tolerance * (1 + std::abs(right));
      ASSERT_TRUE(equal) << "element " << i << " of shape " << to_string(expected.shape) << " is " << value
                         << ", not " << right;
    }
  }

  runahead::testing::Random random_;
};

}  // namespace runahead::engine
