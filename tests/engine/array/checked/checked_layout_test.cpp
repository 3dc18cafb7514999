// Tests the operators that move elements, and those that take indices.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "tests/engine/array/checked/naive.h"

namespace runahead::engine {
namespace {

using checked::SliceRange;

class CheckedLayout : public CheckedOperators {
 protected:
  struct Slice {
    std::vector<SliceRange> ranges;
    Shape shape;
    // The index in the array of an index of the slice.
    [[nodiscard]] Index index_of(const Index& index) const {
      Index at;
      for (std::size_t i = 0; i < ranges.size(); ++i)
        at.push_back(ranges[i].start + index[i] * ranges[i].step);
      return at;
    }
  };
  // Starts, steps and numbers of indices are random; `stop` is any value that gives this number.
  Slice random_slice(const Shape& shape) {
    Slice slice;
    for (const std::int64_t extent : shape) {
      const std::int64_t start = extent == 0 ? 0 : random_.integer(0, extent - 1);
      const std::int64_t step =
          random_.chance(0.4) ? 1 : (random_.chance(0.5) ? -1 : 1) * random_.integer(1, 3);
      const std::int64_t room =
          extent == 0 ? 0 : (step > 0 ? extent - 1 - start : start) / std::abs(step) + 1;
      const std::int64_t count = random_.chance(0.3) ? room : random_.integer(0, room);
      const std::int64_t beyond = random_.integer(0, std::abs(step) - 1);
      slice.ranges.push_back({start, start + count * step - (step > 0 ? beyond : -beyond), step});
      slice.shape.push_back(count);
    }
    return slice;
  }
};
INSTANTIATE_TEST_SUITE_P(Everywhere, CheckedLayout, ::testing::ValuesIn(host_places()), name_of_place);

TEST_P(CheckedLayout, ReshapeKeepsTheOrder) {
  const Naive a = random_array({4, 6, 5});
  expect_equal(checked::reshape(upload(a), {5, 1, 24}), Naive{{5, 1, 24}, a.values});
  expect_equal(checked::reshape(upload(Naive{{}, {3}}), {1, 1}), Naive{{1, 1}, {3}});
  expect_equal(checked::reshape(upload(Naive{{2, 0}, {}}), {0, 7}), Naive{{0, 7}, {}});
}

TEST_P(CheckedLayout, TransposeMovesAxes) {
  for (int round = 0; round < 2 * kRounds; ++round) {
    const Naive a = random_array(random_shape());
    std::vector<std::int64_t> order(a.shape.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random_.engine());
    const bool reversed = random_.chance(0.3);
    if (reversed) {
      std::iota(order.rbegin(), order.rend(), 0);
    }
    Shape shape;
    for (const std::int64_t axis : order) shape.push_back(a.shape[static_cast<std::size_t>(axis)]);
    const Naive expected = made(shape, [&](const Index& index) {
      Index at(index.size());
      for (std::size_t i = 0; i < index.size(); ++i) at[static_cast<std::size_t>(order[i])] = index[i];
      return a.at(at);
    });
    expect_equal(checked::transpose(upload(a), reversed ? std::nullopt : checked::Axes(order)), expected);
  }
}

TEST_P(CheckedLayout, BroadcastToRepeats) {
  for (int round = 0; round < kRounds; ++round) {
    const Shape shape = random_shape();
    const Naive a = random_array(random_operand_shape(shape));
    expect_equal(checked::broadcast_to(upload(a), shape),
                 made(shape, [&](const Index& index) { return a.broadcast_at(index); }));
  }
}

TEST_P(CheckedLayout, SliceTakesAnyStep) {
  for (int round = 0; round < 2 * kRounds; ++round) {
    const Naive a = random_array(random_shape());
    const Slice part = random_slice(a.shape);
    expect_equal(checked::slice(upload(a), part.ranges),
                 made(part.shape, [&](const Index& index) { return a.at(part.index_of(index)); }));
  }
}

TEST_P(CheckedLayout, AssignSliceWritesAnArrayOrANumber) {
  for (int round = 0; round < 2 * kRounds; ++round) {
    Naive a = random_array(random_shape());
    const Slice part = random_slice(a.shape);
    const Naive value = random_array(random_operand_shape(part.shape));
    const Array x = upload(a);
    ASSERT_TRUE(checked::assign_slice(x, part.ranges, upload(value)).ok());
    for_each_index(part.shape,
                   [&](const Index& index) { a.at(part.index_of(index)) = value.broadcast_at(index); });
    expect_equal(x, a);
    ASSERT_TRUE(checked::assign_slice(x, part.ranges, 9).ok());
    for_each_index(part.shape, [&](const Index& index) { a.at(part.index_of(index)) = 9; });
    expect_equal(x, a);
  }
}

TEST_P(CheckedLayout, AnArrayMayBeAssignedToItsOwnSlice) {
  const Array a = array({2, 3}, {1, 2, 3, 4, 5, 6});
  const SliceRange backward[] = {{1, -1, -1}, {2, -1, -1}};
  ASSERT_TRUE(checked::assign_slice(a, backward, a).ok());
  EXPECT_EQ(read(a), (std::vector<float>{6, 5, 4, 3, 2, 1}));
  const SliceRange whole[] = {{0, 2, 1}, {0, 3, 1}};
  ASSERT_TRUE(checked::assign_slice(a, whole, a).ok());
  EXPECT_EQ(read(a), (std::vector<float>{6, 5, 4, 3, 2, 1}));
}

TEST_P(CheckedLayout, ASliceIgnoresTheFirstOnesOfItsValue) {
  const Array a = array({3}, {1, 2, 3});
  const SliceRange end[] = {{1, 3, 1}};
  ASSERT_TRUE(checked::assign_slice(a, end, array({1, 1, 2}, {8, 9})).ok());
  EXPECT_EQ(read(a), (std::vector<float>{1, 8, 9}));
}

TEST_P(CheckedLayout, ConcatJoinsAlongAnAxis) {
  for (int round = 0; round < kRounds; ++round) {
    Shape shape = random_shape(1, 4);
    const std::size_t axis = random_axis(shape);
    std::vector<Naive> parts;
    std::vector<Array> arrays;
    std::vector<std::pair<std::size_t, std::int64_t>> origin;  // of each index along the axis
    for (std::int64_t i = random_.integer(1, 10); i > 0; --i) {
      shape[axis] = random_.integer(0, 4);
      for (std::int64_t k = 0; k < shape[axis]; ++k) origin.emplace_back(parts.size(), k);
      parts.push_back(random_array(shape));
      arrays.push_back(upload(parts.back()));
    }
    shape[axis] = static_cast<std::int64_t>(origin.size());
    expect_equal(checked::concat(arrays, said_axis(shape, axis)), made(shape, [&](Index index) {
                   const auto [part, k] = origin[static_cast<std::size_t>(index[axis])];
                   index[axis] = k;
                   return parts[part].at(index);
                 }));
  }
}

TEST_P(CheckedLayout, TakeReplacesAnAxisByThoseOfTheIndices) {
  for (int round = 0; round < kRounds; ++round) {
    const Naive a = random_array(random_filled_shape(1, 3));
    const std::size_t axis = random_axis(a.shape);
    const std::int64_t extent = a.shape[axis];
    const Naive indices = random_indices(random_shape(0, 2), -extent, extent);
    Shape shape = a.shape;
    const auto place = shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
    shape.insert(place, indices.shape.begin(), indices.shape.end());
    const Naive expected = made(shape, [&](const Index& index) {
      const auto first = index.begin() + static_cast<std::ptrdiff_t>(axis);
      const auto last = first + static_cast<std::ptrdiff_t>(indices.shape.size());
      const auto found = static_cast<std::int64_t>(indices.at(Index(first, last)));
      Index at(index.begin(), first);
      at.push_back(found < 0 ? found + extent : found);
      at.insert(at.end(), last, index.end());
      return a.at(at);
    });
    expect_equal(checked::take(upload(a), upload(indices), said_axis(a.shape, axis)), expected);
  }
}

TEST_P(CheckedLayout, PickAndOneHotTakeAnIndexPerRow) {
  const Naive a = random_array({7, 5}), indices = random_indices({7}, 0, 5);
  expect_equal(checked::pick(upload(a), upload(indices)), made({7}, [&](const Index& at) {
                 return a.at({at[0], static_cast<std::int64_t>(indices.at(at))});
               }));
  expect_equal(checked::one_hot(upload(indices), 5), made({7, 5}, [&](const Index& at) {
                 return static_cast<double>(at[1]) == indices.at({at[0]}) ? 1.0 : 0.0;
               }));
  expect_equal(checked::pick(array({1, 3}, {1, 2, 3}), array({1}, {-1})), Naive{{1}, {3}});
}

TEST_P(CheckedLayout, AnIndexOutOfRangeFailsTheOp) {
  const auto message = [](const Result<Array>& array) {
    const Status done = array->wait_to_read();
    return done.ok() ? std::string() : done.error().message;
  };
  const Array a = array({2, 3}, {1, 2, 3, 4, 5, 6}), bad = array({2}, {0, 3});
  const std::string expected = "failed: index 3 is out of range for extent 3";
  EXPECT_NE(message(checked::take(a, bad, 1)).find(expected), std::string::npos);
  EXPECT_NE(message(checked::pick(a, bad)).find(expected), std::string::npos);
  EXPECT_NE(message(checked::one_hot(bad, 3)).find(expected), std::string::npos);
  EXPECT_NE(message(checked::one_hot(array({1}, {-1}), 3)).find("index -1"), std::string::npos);
  EXPECT_NE(message(checked::take(a, array({1}, {-3}), 0)).find("index -3"), std::string::npos);
}

}  // namespace
}  // namespace runahead::engine
