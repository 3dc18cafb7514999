#include "engine/array/checked/arguments.h"

#include <string>
#include <utility>

namespace runahead::engine::checked {
namespace {

constexpr std::size_t kMostAxes = 32;  // as in numpy 1
// 4 TiB of float32. Low enough that no product of sizes or bytes can overflow 64 bits.
constexpr std::int64_t kMostElements = std::int64_t{1} << 40;

}  // namespace

Error error_of(const char* name, const std::string& why) { return Error{std::string(name) + ": " + why}; }

Error shapes_do_not_fit(const char* name, const Shape& a, const Shape& b) {
  return error_of(name, "shapes " + to_string(a) + " and " + to_string(b) + " do not fit");
}

Status check_arrays(const char* name, std::initializer_list<const Array*> arrays) {
  const Array* const first = *arrays.begin();
  for (const Array* array : arrays) {
    if (!*array) return error_of(name, "an operand is not an array");
    if (array->context() == first->context()) continue;
    if (array->context().engine != first->context().engine)
      return error_of(name, "the arrays are of two engines");
    return error_of(name, "the arrays are on " + first->context().device->name() + " and " +
                              array->context().device->name());
  }
  return Ok{};
}

Status check_context(const char* name, const Context& context) {
  if (context.engine == nullptr || context.device == nullptr) return error_of(name, "no device is given");
  return Ok{};
}

bool has_host_memory(const Context& context) {
  return context.device->arithmetic(StreamKind::kCompute) == nullptr;
}

Status check_host_memory(const char* name, const Context& context) {
  if (has_host_memory(context)) return Ok{};
  return error_of(name, context.device->name() + " cannot compute this; copy the arrays to the cpu first");
}

Status check_shape(const char* name, const Shape& shape) {
  if (shape.size() > kMostAxes)
    return error_of(
        name, std::to_string(shape.size()) + " axes are too many; the most are " + std::to_string(kMostAxes));
  std::int64_t elements = 1;  // empty axes count as 1, so that the other extents are checked too
  for (const std::int64_t extent : shape) {
    if (extent < 0) return error_of(name, "shape " + to_string(shape) + " has a negative extent");
    if (extent > kMostElements / elements)
      return error_of(name, "shape " + to_string(shape) + " has too many elements");
    if (extent > 0) elements *= extent;
  }
  return Ok{};
}

Result<std::size_t> axis_of(const char* name, const Shape& shape, std::int64_t axis) {
  const auto rank = static_cast<std::int64_t>(shape.size());
  if (axis < -rank || axis >= rank)
    return error_of(name, "shape " + to_string(shape) + " has no axis " + std::to_string(axis));
  return static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
}

Result<Array> new_array(const char* name, const Context& context, Shape shape, MemoryCategory category) {
  if (Status sound = check_shape(name, shape); !sound.ok()) return sound.error();
  return make_array(context, std::move(shape), category);
}

AroundAxis around(const Shape& shape, std::size_t axis) {
  AroundAxis result{.extent = shape[axis]};
  for (std::size_t i = 0; i < axis; ++i) result.outer *= shape[i];
  for (std::size_t i = axis + 1; i < shape.size(); ++i) result.inner *= shape[i];
  return result;
}

Array enqueue_new(const Call& call, Array output, const Cost& cost, std::span<const Array* const> inputs,
                  Kernel kernel) {
  const Array* const outputs[] = {&output};
  const OpPlan plan{.site = &call.site,
                    .where = call.where,
                    .engine = output.context().engine,
                    .device = output.context().device,
                    .inputs = inputs,
                    .outputs = outputs,
                    .cost = cost};
  (void)enqueue_op(plan, std::move(kernel));
  return output;
}

void enqueue_in_place(const Call& call, const Array& changed, const Cost& cost,
                      std::span<const Array* const> inputs, Kernel kernel, std::int64_t size_bytes) {
  const Array* const in_place[] = {&changed};
  const OpPlan plan{.site = &call.site,
                    .where = call.where,
                    .engine = changed.context().engine,
                    .device = changed.context().device,
                    .inputs = inputs,
                    .in_place = in_place,
                    .cost = cost,
                    .size_bytes = size_bytes};
  (void)enqueue_op(plan, std::move(kernel));
}

}  // namespace runahead::engine::checked
