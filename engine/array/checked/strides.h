// Loops over several arrays of one shape, each with its own steps. A step of 0 repeats an element, so a
// broadcast operand needs no copy. A negative step goes backward. Internal to engine/array/checked.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/array/array.h"

namespace runahead::engine::checked {

// One loop over N arrays: how often it runs, and how many elements each array advances per round.
template <std::size_t N>
struct Loop {
  std::int64_t count = 1;
  std::array<std::int64_t, N> step{};
};
// Outermost first.
template <std::size_t N>
using Loops = std::vector<Loop<N>>;

// The steps of a dense, row-major array, one per axis.
[[nodiscard]] Shape steps_of(const Shape& shape);
// The steps of an array of shape `from` that is broadcast to `to`. REQUIRES: it can be broadcast.
[[nodiscard]] Shape broadcast_steps(const Shape& from, const Shape& to);
// True: an array of shape `from` can be broadcast to `to`.
[[nodiscard]] bool can_broadcast(const Shape& from, const Shape& to);
// The shape of both operands after broadcasting, as in numpy. Error: they do not fit. name: the operator.
[[nodiscard]] Result<Shape> broadcast_shape(const char* name, const Shape& a, const Shape& b);

// Makes the fewest loops over arrays of shape `shape` with these steps: adjacent axes that are contiguous for
// all arrays become one loop, and axes of extent 1 have none. The result has at least one loop.
template <std::size_t N>
[[nodiscard]] Loops<N> loops_over(const Shape& shape, const std::array<Shape, N>& steps) {
  Loops<N> loops;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] == 1) continue;
    Loop<N> loop{shape[axis], {}};
    bool joins = !loops.empty();
    for (std::size_t i = 0; i < N; ++i) {
      loop.step[i] = steps[i][axis];
      joins = joins && loops.back().step[i] == loop.step[i] * loop.count;
    }
    if (joins) {
      loop.count *= loops.back().count;
      loops.back() = loop;
    } else {
      loops.push_back(loop);
    }
  }
  if (loops.empty()) {
    loops.emplace_back();
    loops.back().step.fill(1);
  }
  return loops;
}

// True: one loop goes over all arrays in the order of their elements.
template <std::size_t N>
[[nodiscard]] bool is_contiguous(const Loops<N>& loops) {
  if (loops.size() != 1) return false;
  for (const std::int64_t step : loops.front().step) {
    if (step != 1) return false;
  }
  return true;
}

// Calls row(offsets) for each round of all loops but the innermost, in order. offsets: where the row begins
// in each array. The caller runs the innermost loop, loops.back(). If a loop is empty, there are no rows.
template <std::size_t N, typename Row>
void for_each_row(const Loops<N>& loops, Row row) {
  for (const Loop<N>& loop : loops) {
    if (loop.count == 0) return;
  }
  std::array<std::int64_t, N> at{};
  std::vector<std::int64_t> round(loops.size() - 1, 0);
  for (;;) {
    row(at);
    std::size_t level = round.size();
    for (;;) {
      if (level == 0) return;
      --level;
      const Loop<N>& loop = loops[level];
      const bool ends = ++round[level] == loop.count;
      const std::int64_t advance = ends ? 1 - loop.count : 1;
      for (std::size_t i = 0; i < N; ++i) at[i] += advance * loop.step[i];
      if (!ends) break;
      round[level] = 0;
    }
  }
}

// Copies element by element. loops: step[0] of `from`, step[1] of `to`.
void copy_strided(const Loops<2>& loops, const float* from, float* to);

}  // namespace runahead::engine::checked
