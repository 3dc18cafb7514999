// Operators that read indices from an array. Only the op knows the indices: if one is out of range, the op
// throws, and fails.
#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "engine/array/checked/arguments.h"
#include "instrumentation/base/format.h"

namespace runahead::engine::checked {
namespace {

constexpr record::Site kTake = operator_site("take");
constexpr record::Site kPick = operator_site("pick");
constexpr record::Site kOneHot = operator_site("one_hot");

enum class NegativeIndex : bool { kCountsFromEnd, kIsOutOfRange };

// Rounds toward 0. Throws if the index is out of range, or is NaN.
std::int64_t index_of_value(float value, std::int64_t extent,
                            NegativeIndex negative = NegativeIndex::kCountsFromEnd) {
  const double index = static_cast<double>(value);
  const double least = negative == NegativeIndex::kCountsFromEnd ? -number_of(extent) : 0;
  if (index > least - 1 && index < number_of(extent)) {
    const auto whole = static_cast<std::int64_t>(index);
    return whole < 0 ? whole + extent : whole;
  }
  throw std::runtime_error("index " + format_exact(index) + " is out of range for extent " +
                           std::to_string(extent));
}

}  // namespace

Result<Array> take(const Array& a, const Array& indices, std::int64_t axis, Where where) {
  const char* const name = kTake.name;
  if (Status sound = check_arrays(name, {&a, &indices}); !sound.ok()) return sound.error();
  if (Status sound = check_host_memory(name, a.context()); !sound.ok()) return sound.error();
  const Result<std::size_t> at = axis_of(name, a.shape(), axis);
  if (!at.ok()) return at.error();
  Shape shape = a.shape();
  const auto place = shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(*at));
  shape.insert(place, indices.shape().begin(), indices.shape().end());
  Result<Array> output = new_array(name, a.context(), std::move(shape));
  if (!output.ok()) return output;
  const Cost cost = cost_of(0, number_of(2 * output->size() + indices.size()));
  return enqueue_one(
      {kTake, where}, std::move(*output), cost,
      [rows = around(a.shape(), *at), count = indices.size()](Arithmetic&, const float* const* in,
                                                              float* const* out) {
        float* to = out[0];
        for (std::int64_t o = 0; o < rows.outer; ++o) {
          const float* const from = in[0] + o * rows.extent * rows.inner;
          for (std::int64_t i = 0; i < count; ++i, to += rows.inner)
            std::copy_n(from + index_of_value(in[1][i], rows.extent) * rows.inner, rows.inner, to);
        }
      },
      a, indices);
}

Result<Array> pick(const Array& a, const Array& indices, Where where) {
  const char* const name = kPick.name;
  if (Status sound = check_arrays(name, {&a, &indices}); !sound.ok()) return sound.error();
  if (Status sound = check_host_memory(name, a.context()); !sound.ok()) return sound.error();
  if (a.shape().size() != 2 || indices.shape() != Shape{a.shape()[0]})
    return shapes_do_not_fit(name, a.shape(), indices.shape());
  const double m = number_of(indices.size());
  return enqueue_one(
      {kPick, where}, make_array(a.context(), indices.shape(), MemoryCategory::kActivation),
      cost_of(0, 3 * m),
      [count = indices.size(), columns = a.shape()[1]](Arithmetic&, const float* const* in,
                                                       float* const* out) {
        for (std::int64_t i = 0; i < count; ++i)
          out[0][i] = in[0][i * columns + index_of_value(in[1][i], columns)];
      },
      a, indices);
}

Result<Array> one_hot(const Array& indices, std::int64_t depth, Where where) {
  const char* const name = kOneHot.name;
  if (Status sound = check_arrays(name, {&indices}); !sound.ok()) return sound.error();
  if (Status sound = check_host_memory(name, indices.context()); !sound.ok()) return sound.error();
  Shape shape = indices.shape();
  shape.push_back(depth);
  Result<Array> output = new_array(name, indices.context(), std::move(shape));
  if (!output.ok()) return output;
  const Cost cost = cost_of(0, number_of(indices.size() + output->size()));
  return enqueue_one(
      {kOneHot, where}, std::move(*output), cost,
      [count = indices.size(), depth](Arithmetic& math, const float* const* in, float* const* out) {
        math.fill(out[0], count * depth, 0.0f);
        for (std::int64_t i = 0; i < count; ++i)
          out[0][i * depth + index_of_value(in[0][i], depth, NegativeIndex::kIsOutOfRange)] = 1.0f;
      },
      indices);
}

}  // namespace runahead::engine::checked
