// Operators that make arrays without inputs, and copies of whole arrays.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "engine/array/checked/arguments.h"

namespace runahead::engine::checked {
namespace {

constexpr record::Site kArange = operator_site("arange");
constexpr record::Site kEye = operator_site("eye");
constexpr record::Site kFill = operator_site("fill");
constexpr record::Site kAssign{"copy", trace::SliceKind::kCopyOnDevice, __FILE__, __LINE__};

Status check_creation(const char* name, const Context& context, const Shape& shape) {
  if (Status sound = check_context(name, context); !sound.ok()) return sound;
  return check_shape(name, shape);
}

// Makes an array of `shape` whose values `fill(float* out)` computes. A device that has its own memory gets
// them from the host, as from_host() does.
template <typename Fill>
Array made_by_host(const Call& call, const Context& context, const Shape& shape, Fill fill) {
  if (!has_host_memory(context)) {
    std::vector<float> values(static_cast<std::size_t>(element_count(shape)));
    fill(values.data());
    return engine::from_host(context, shape, values, call.where);
  }
  const double n = number_of(element_count(shape));
  return enqueue_one(call, make_array(context, shape, MemoryCategory::kOther), cost_of(n, n),
                     [fill](Arithmetic&, const float* const*, float* const* out) { fill(out[0]); });
}

}  // namespace

Result<Array> full(const Context& context, const Shape& shape, float value, MemoryCategory category,
                   Where where) {
  if (Status sound = check_creation("full", context, shape); !sound.ok()) return sound.error();
  return engine::full(context, shape, value, category, where);
}

Result<Array> uniform(const Context& context, const Shape& shape, RandomKey key, float low, float high,
                      MemoryCategory category, Where where) {
  if (Status sound = check_creation("uniform", context, shape); !sound.ok()) return sound.error();
  return engine::uniform(context, shape, key, low, high, category, where);
}

Result<Array> normal(const Context& context, const Shape& shape, RandomKey key, float mean, float deviation,
                     MemoryCategory category, Where where) {
  if (Status sound = check_creation("normal", context, shape); !sound.ok()) return sound.error();
  return engine::normal(context, shape, key, mean, deviation, category, where);
}

Result<Array> from_host(const Context& context, const Shape& shape, std::span<const float> values,
                        Where where) {
  const char* const name = "from_host";
  if (Status sound = check_creation(name, context, shape); !sound.ok()) return sound.error();
  if (static_cast<std::int64_t>(values.size()) != element_count(shape))
    return error_of(name, std::to_string(values.size()) + " values do not fit shape " + to_string(shape));
  return engine::from_host(context, shape, values, where);
}

Result<Array> arange(const Context& context, double start, double stop, double step, Where where) {
  const double count = std::ceil((stop - start) / step);
  const char* const name = kArange.name;
  if (step == 0 || std::isnan(count)) return error_of(name, "the step is 0, or a bound is not a number");
  const Shape shape{static_cast<std::int64_t>(std::clamp(count, 0.0, 0x1p62))};
  if (Status sound = check_creation(name, context, shape); !sound.ok()) return sound.error();
  return made_by_host({kArange, where}, context, shape, [start, step, n = shape[0]](float* out) {
    for (std::int64_t i = 0; i < n; ++i) out[i] = static_cast<float>(start + number_of(i) * step);
  });
}

Result<Array> eye(const Context& context, std::int64_t rows, std::int64_t columns, Where where) {
  if (Status sound = check_creation(kEye.name, context, {rows, columns}); !sound.ok()) return sound.error();
  return made_by_host({kEye, where}, context, {rows, columns}, [rows, columns](float* out) {
    std::fill_n(out, rows * columns, 0.0f);
    for (std::int64_t i = 0; i < std::min(rows, columns); ++i) out[i * (columns + 1)] = 1.0f;
  });
}

Status assign(const Array& to, const Value& from, Where where) {
  if (Status sound = check_arrays("assign", {&to}); !sound.ok()) return sound;
  const std::int64_t count = to.size();
  if (from.array == nullptr) {
    enqueue_in_place({kFill, where}, to, cost_of(0, number_of(count)), {},
                     [count, number = from.number](Arithmetic& math, const float* const*, float* const* out) {
                       math.fill(out[0], count, number);
                     });
    return Ok{};
  }
  if (Status sound = check_arrays("assign", {&to, from.array}); !sound.ok()) return sound;
  if (from.array->size() != count) return shapes_do_not_fit("assign", to.shape(), from.array->shape());
  if (from.array->state() == to.state()) return Ok{};
  const Array* const inputs[] = {from.array};
  enqueue_in_place(
      {kAssign, where}, to, cost_of(0, number_of(2 * count)), inputs,
      [count](Arithmetic& math, const float* const* in, float* const* out) {
        math.copy(in[0], out[0], count);
      },
      to.size_bytes());
  return Ok{};
}

Result<Array> copy_to(const Array& a, const Context& to, HostMemory host, Where where) {
  const char* const name = "copy_to";
  if (Status sound = check_arrays(name, {&a}); !sound.ok()) return sound.error();
  if (Status sound = check_context(name, to); !sound.ok()) return sound.error();
  if (a.context().engine != to.engine) return error_of(name, "the device is of another engine");
  return engine::copy_to(a, to, host, where);
}

trace::SliceKind from_host_kind(const Context& to) {
  return is_host(*to.device) ? trace::SliceKind::kExecute : trace::SliceKind::kCopyToDevice;
}

trace::SliceKind copy_kind(const Context& from, const Context& to) {
  if (from.device == to.device) return trace::SliceKind::kCopyOnDevice;
  if (is_host(*to.device)) return trace::SliceKind::kCopyToHost;
  return is_host(*from.device) ? trace::SliceKind::kCopyToDevice : trace::SliceKind::kCopyOnDevice;
}

trace::SliceKind assign_kind(const Value& from) {
  return from.array != nullptr ? trace::SliceKind::kCopyOnDevice : trace::SliceKind::kExecute;
}

}  // namespace runahead::engine::checked
