#include "engine/array/checked/strides.h"

#include <algorithm>

#include "engine/array/checked/arguments.h"

namespace runahead::engine::checked {
namespace {

void copy_row(const Loop<2>& loop, const float* from, float* to) {
  const auto [from_step, to_step] = loop.step;
  if (from_step == 1 && to_step == 1) {
    std::copy_n(from, loop.count, to);
  } else if (from_step == 0 && to_step == 1) {
    std::fill_n(to, loop.count, *from);
  } else {
    for (std::int64_t i = 0; i < loop.count; ++i) to[i * to_step] = from[i * from_step];
  }
}

// Copies two loops in tiles. Used where `from` is dense in the outer loop and `to` in the inner one, such as
// a transposed matrix: then a tile of both fits into the first-level cache.
void copy_tiles(const Loop<2>& outer, const Loop<2>& inner, const float* from, float* to) {
  constexpr std::int64_t kTile = 32;  // 32 x 32 floats are 4 KiB
  for (std::int64_t i0 = 0; i0 < outer.count; i0 += kTile) {
    const std::int64_t i1 = std::min(outer.count, i0 + kTile);
    for (std::int64_t j0 = 0; j0 < inner.count; j0 += kTile) {
      const Loop<2> part{std::min(kTile, inner.count - j0), inner.step};
      for (std::int64_t i = i0; i < i1; ++i) {
        copy_row(part, from + i * outer.step[0] + j0 * inner.step[0],
                 to + i * outer.step[1] + j0 * inner.step[1]);
      }
    }
  }
}

}  // namespace

Shape steps_of(const Shape& shape) {
  Shape steps(shape.size());
  std::int64_t step = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    steps[axis] = step;
    step *= shape[axis];
  }
  return steps;
}

bool can_broadcast(const Shape& from, const Shape& to) {
  if (from.size() > to.size()) return false;
  const std::size_t added = to.size() - from.size();
  for (std::size_t axis = 0; axis < from.size(); ++axis) {
    if (from[axis] != 1 && from[axis] != to[added + axis]) return false;
  }
  return true;
}

Shape broadcast_steps(const Shape& from, const Shape& to) {
  const Shape dense = steps_of(from);
  const std::size_t added = to.size() - from.size();
  Shape steps(to.size(), 0);
  for (std::size_t axis = 0; axis < from.size(); ++axis) {
    if (from[axis] != 1) steps[added + axis] = dense[axis];
  }
  return steps;
}

Result<Shape> broadcast_shape(const char* name, const Shape& a, const Shape& b) {
  const Shape& longer = a.size() >= b.size() ? a : b;
  const Shape& shorter = a.size() >= b.size() ? b : a;
  const std::size_t added = longer.size() - shorter.size();
  Shape shape = longer;
  for (std::size_t axis = 0; axis < shorter.size(); ++axis) {
    std::int64_t& extent = shape[added + axis];
    if (extent == 1) {
      extent = shorter[axis];
    } else if (shorter[axis] != 1 && shorter[axis] != extent) {
      return shapes_do_not_fit(name, a, b);
    }
  }
  return shape;
}

void copy_strided(const Loops<2>& loops, const float* from, float* to) {
  const Loop<2>& inner = loops.back();
  const bool in_tiles =
      loops.size() >= 2 && inner.step[0] != 1 && inner.step[0] != 0 && loops[loops.size() - 2].step[0] == 1;
  if (!in_tiles) {
    for_each_row(loops, [&](const auto& at) { copy_row(inner, from + at[0], to + at[1]); });
    return;
  }
  const Loops<2> outer(loops.begin(), loops.end() - 1);
  for_each_row(outer, [&](const auto& at) { copy_tiles(outer.back(), inner, from + at[0], to + at[1]); });
}

}  // namespace runahead::engine::checked
