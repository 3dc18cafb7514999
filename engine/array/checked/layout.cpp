// Operators that move elements without changing them.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/array/checked/arguments.h"
#include "engine/array/checked/strides.h"

namespace runahead::engine::checked {
namespace {

constexpr record::Site kReshape = operator_site("reshape");
constexpr record::Site kTranspose = operator_site("transpose");
constexpr record::Site kBroadcastTo = operator_site("broadcast_to");
constexpr record::Site kSlice = operator_site("slice");
constexpr record::Site kAssignSlice = operator_site("assign_slice");
constexpr record::Site kConcat = operator_site("concat");

Cost cost_of_copy(std::int64_t read, std::int64_t written) { return cost_of(0, number_of(read + written)); }

// Copies from in to out. loops: the steps of in and out.
struct Copying {
  Loops<2> loops;
  std::int64_t in_offset = 0, out_offset = 0;

  // in repeats one row, which is a primitive of the device.
  [[nodiscard]] bool repeats_row() const {
    return loops.size() == 2 && loops[0].step[0] == 0 && loops[1].step[0] == 1 && loops[1].step[1] == 1 &&
           loops[0].step[1] == loops[1].count;
  }
  [[nodiscard]] bool has_primitive() const { return is_contiguous(loops) || repeats_row(); }

  void operator()(Arithmetic& math, const float* in, float* out) const {
    if (is_contiguous(loops)) return math.copy(in + in_offset, out + out_offset, loops[0].count);
    if (!repeats_row()) return copy_strided(loops, in + in_offset, out + out_offset);
    math.add_row(nullptr, in + in_offset, out + out_offset, {loops[0].count, loops[1].count});
  }
};

// Enqueues an op whose result has shape `shape`. steps: those of `a`, one per axis of the result.
Result<Array> rearranged(const Call& call, const Array& a, Shape shape, const Shape& steps,
                         std::int64_t offset = 0) {
  Copying work{loops_over<2>(shape, {steps, steps_of(shape)}), offset};
  if (!work.has_primitive() && element_count(shape) != 0) {
    if (Status sound = check_host_memory(call.site.name, a.context()); !sound.ok()) return sound.error();
  }
  Result<Array> output = new_array(call.site.name, a.context(), std::move(shape));
  if (!output.ok()) return output;
  const Cost cost = cost_of_copy(std::min(a.size(), output->size()), output->size());
  return enqueue_one(
      call, std::move(*output), cost,
      [work = std::move(work)](Arithmetic& math, const float* const* in, float* const* out) {
        work(math, in[0], out[0]);
      },
      a);
}

// ---- slices -----------------------------------------------------------------------------------------------

// A slice, as seen in the memory of its array.
struct View {
  Shape shape, steps;
  std::int64_t offset = 0;
};

// The number of indices in a range. REQUIRES: the step is not 0.
std::int64_t count_of(const SliceRange& range) {
  const bool forward = range.step > 0;
  const auto start = static_cast<std::uint64_t>(range.start), stop = static_cast<std::uint64_t>(range.stop);
  if (forward ? range.start >= range.stop : range.start <= range.stop) return 0;
  // unsigned, because the distance of two extreme values does not fit into 63 bits
  const std::uint64_t distance = forward ? stop - start : start - stop;
  const auto step = static_cast<std::uint64_t>(range.step);
  return static_cast<std::int64_t>(
             std::min((distance - 1) / (forward ? step : -step), static_cast<std::uint64_t>(INT64_MAX - 1))) +
         1;
}

Result<View> view_of(const char* name, const Array& a, std::span<const SliceRange> ranges) {
  const Shape &shape = a.shape(), steps = steps_of(shape);
  if (ranges.size() != shape.size())
    return error_of(name, std::to_string(ranges.size()) + " ranges do not fit shape " + to_string(shape));
  View view;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const SliceRange& range = ranges[axis];
    if (range.step == 0) return error_of(name, "the step of axis " + std::to_string(axis) + " is 0");
    const std::int64_t count = count_of(range), extent = shape[axis];
    // count <= extent comes first, so that the last index cannot overflow
    const bool inside = count == 0 || (range.start >= 0 && range.start < extent && count <= extent &&
                                       (count == 1 || (range.step < extent && range.step > -extent &&
                                                       range.start + (count - 1) * range.step < extent &&
                                                       range.start + (count - 1) * range.step >= 0)));
    if (!inside)
      return error_of(name, "range " + std::to_string(range.start) + ":" + std::to_string(range.stop) + ":" +
                                std::to_string(range.step) + " leaves axis " + std::to_string(axis) +
                                " of shape " + to_string(shape));
    view.shape.push_back(count);
    view.steps.push_back(count > 1 ? range.step * steps[axis] : 0);
    if (count > 0) view.offset += range.start * steps[axis];
  }
  return view;
}

// Writes one number to each element of a view.
struct Filling {
  Loops<1> loops;
  std::int64_t offset = 0;
  float number = 0;

  void operator()(Arithmetic& math, float* out) const {
    if (is_contiguous(loops)) return math.fill(out + offset, loops[0].count, number);
    const Loop<1>& inner = loops.back();
    for_each_row(loops, [&](const auto& at) {
      float* const to = out + offset + at[0];
      for (std::int64_t i = 0; i < inner.count; ++i) to[i * inner.step[0]] = number;
    });
  }
};

Status fill_view(const Array& a, const View& view, float number, Where where) {
  Filling work{loops_over<1>(view.shape, {view.steps}), view.offset, number};
  if (!is_contiguous(work.loops)) {
    if (Status sound = check_host_memory(kAssignSlice.name, a.context()); !sound.ok()) return sound;
  }
  enqueue_in_place({kAssignSlice, where}, a, cost_of_copy(0, element_count(view.shape)), {},
                   [work = std::move(work)](Arithmetic& math, const float* const*, float* const* out) {
                     work(math, out[0]);
                   });
  return Ok{};
}

// As in numpy, the value may have more axes than the slice, if their extents are 1.
Shape without_first_ones(Shape shape, std::size_t rank) {
  while (shape.size() > rank && shape.front() == 1) shape.erase(shape.begin());
  return shape;
}

Status copy_into_view(const Array& a, const View& view, const Array& value, Where where) {
  const char* const name = kAssignSlice.name;
  if (Status sound = check_arrays(name, {&a, &value}); !sound.ok()) return sound;
  const Shape shape = without_first_ones(value.shape(), view.shape.size());
  if (!can_broadcast(shape, view.shape)) return shapes_do_not_fit(name, view.shape, value.shape());
  Copying work{loops_over<2>(view.shape, {broadcast_steps(shape, view.shape), view.steps}), 0, view.offset};
  const bool onto_itself = a.state() == value.state();
  if (onto_itself ? !is_contiguous(work.loops) : !work.has_primitive()) {
    if (Status sound = check_host_memory(name, a.context()); !sound.ok()) return sound;
  }
  const Array* const inputs[] = {&value};
  const std::int64_t count = element_count(view.shape);
  enqueue_in_place({kAssignSlice, where}, a, cost_of_copy(count, count), inputs,
                   [work = std::move(work), onto_itself, size = value.size()](
                       Arithmetic& math, const float* const* in, float* const* out) {
                     if (!onto_itself) return work(math, in[0], out[0]);
                     if (is_contiguous(work.loops)) return;  // each element goes where it is
                     const std::vector<float> copy(in[0], in[0] + size);
                     work(math, copy.data(), out[0]);
                   });
  return Ok{};
}

// ---- concat -----------------------------------------------------------------------------------------------

// Copies blocks of several inputs next to each other, `outer` times.
struct Joining {
  std::int64_t outer = 1;
  std::vector<std::int64_t> blocks;  // the elements per block, for each input

  void operator()(Arithmetic& math, const float* const* in, float* out) const {
    for (std::int64_t o = 0; o < outer; ++o) {
      for (std::size_t i = 0; i < blocks.size(); ++i) {
        const std::int64_t block = blocks[i];
        if (outer == 1 && block > 0) math.copy(in[i], out, block);
        if (outer > 1) std::copy_n(in[i] + o * block, block, out);
        out += block;
      }
    }
  }
};

// The shape of the arrays after they are joined. REQUIRES: check_arrays().
Result<Shape> joined_shape(const char* name, std::span<const Array> arrays, std::size_t axis) {
  Shape shape = arrays.front().shape();
  for (const Array& array : arrays.subspan(1)) {
    Shape other = array.shape();
    if (other.size() != shape.size()) return shapes_do_not_fit(name, arrays.front().shape(), other);
    const std::int64_t extent = std::exchange(other[axis], shape[axis]);
    if (other != shape) return shapes_do_not_fit(name, arrays.front().shape(), array.shape());
    shape[axis] += extent;
  }
  return shape;
}

}  // namespace

Result<Array> reshape(const Array& a, const Shape& shape, Where where) {
  if (Status sound = check_arrays(kReshape.name, {&a}); !sound.ok()) return sound.error();
  if (Status sound = check_shape(kReshape.name, shape); !sound.ok()) return sound.error();
  if (element_count(shape) != a.size()) return shapes_do_not_fit(kReshape.name, a.shape(), shape);
  return rearranged({kReshape, where}, a, shape, steps_of(shape));
}

Result<Array> transpose(const Array& a, Axes axes, Where where) {
  const char* const name = kTranspose.name;
  if (Status sound = check_arrays(name, {&a}); !sound.ok()) return sound.error();
  const std::size_t rank = a.shape().size();
  if (axes && axes->size() != rank)
    return error_of(name, std::to_string(axes->size()) + " axes do not fit shape " + to_string(a.shape()));
  const Shape steps_of_a = steps_of(a.shape());
  Shape shape(rank), steps(rank);
  std::vector<bool> used(rank, false);
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t said = axes ? (*axes)[i] : static_cast<std::int64_t>(rank - 1 - i);
    const Result<std::size_t> axis = axis_of(name, a.shape(), said);
    if (!axis.ok()) return axis.error();
    if (used[*axis]) return error_of(name, "axis " + std::to_string(said) + " is named twice");
    used[*axis] = true;
    shape[i] = a.shape()[*axis];
    steps[i] = steps_of_a[*axis];
  }
  return rearranged({kTranspose, where}, a, std::move(shape), steps);
}

Result<Array> broadcast_to(const Array& a, const Shape& shape, Where where) {
  const char* const name = kBroadcastTo.name;
  if (Status sound = check_arrays(name, {&a}); !sound.ok()) return sound.error();
  if (Status sound = check_shape(name, shape); !sound.ok()) return sound.error();
  if (!can_broadcast(a.shape(), shape)) return shapes_do_not_fit(name, a.shape(), shape);
  return rearranged({kBroadcastTo, where}, a, shape, broadcast_steps(a.shape(), shape));
}

Result<Array> slice(const Array& a, std::span<const SliceRange> ranges, Where where) {
  if (Status sound = check_arrays(kSlice.name, {&a}); !sound.ok()) return sound.error();
  Result<View> view = view_of(kSlice.name, a, ranges);
  if (!view.ok()) return view.error();
  return rearranged({kSlice, where}, a, std::move(view->shape), view->steps, view->offset);
}

Status assign_slice(const Array& a, std::span<const SliceRange> ranges, const Value& value, Where where) {
  if (Status sound = check_arrays(kAssignSlice.name, {&a}); !sound.ok()) return sound;
  const Result<View> view = view_of(kAssignSlice.name, a, ranges);
  if (!view.ok()) return view.error();
  if (value.array == nullptr) return fill_view(a, *view, value.number, where);
  return copy_into_view(a, *view, *value.array, where);
}

Result<Array> concat(std::span<const Array> arrays, std::int64_t axis, Where where) {
  const char* const name = kConcat.name;
  if (arrays.empty()) return error_of(name, "no arrays are given");
  std::vector<const Array*> inputs;
  for (const Array& array : arrays) {
    inputs.push_back(&array);
    if (Status sound = check_arrays(name, {&arrays.front(), &array}); !sound.ok()) return sound.error();
  }
  const Result<std::size_t> at = axis_of(name, arrays.front().shape(), axis);
  if (!at.ok()) return at.error();
  Result<Shape> shape = joined_shape(name, arrays, *at);
  if (!shape.ok()) return shape.error();
  Joining work{.outer = around(*shape, *at).outer};
  if (work.outer != 1) {
    if (Status sound = check_host_memory(name, arrays.front().context()); !sound.ok()) return sound.error();
  }
  for (const Array& array : arrays) {
    const AroundAxis part = around(array.shape(), *at);
    work.blocks.push_back(part.extent * part.inner);
  }
  Result<Array> output = new_array(name, arrays.front().context(), std::move(*shape));
  if (!output.ok()) return output;
  const Cost cost = cost_of_copy(output->size(), output->size());
  return enqueue_new({kConcat, where}, std::move(*output), cost, inputs,
                     [work = std::move(work)](Arithmetic& math, const float* const* in, float* const* out) {
                       work(math, in, out[0]);
                     });
}

}  // namespace runahead::engine::checked
