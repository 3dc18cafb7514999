// What the checked operators share: checks of arguments, and functions that enqueue an op. Internal to
// engine/array/checked. `name`: the operator, with which every error begins.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "engine/array/array_state.h"
#include "engine/array/checked/checked.h"

namespace runahead::engine::checked {

// The site of an operator, at the line of this call.
[[nodiscard]] constexpr record::Site operator_site(const char* name, const char* file = __builtin_FILE(),
                                                   std::uint32_t line = __builtin_LINE()) {
  return {name, trace::SliceKind::kExecute, file, line};
}

[[nodiscard]] Error error_of(const char* name, const std::string& why);
[[nodiscard]] Error shapes_do_not_fit(const char* name, const Shape& a, const Shape& b);

// Error: a handle is empty, or the arrays are not all on one device of one engine.
[[nodiscard]] Status check_arrays(const char* name, std::initializer_list<const Array*> arrays);
// Error: the context has no engine or no device.
[[nodiscard]] Status check_context(const char* name, const Context& context);
// True: the host computes the values of the device's ops, so kernels may access the device's memory.
[[nodiscard]] bool has_host_memory(const Context& context);
// Error: the operator has no kernel for the device.
[[nodiscard]] Status check_host_memory(const char* name, const Context& context);
// Error: an extent is negative, or the shape has too many axes or elements.
[[nodiscard]] Status check_shape(const char* name, const Shape& shape);

// The position of an axis that may be negative.
[[nodiscard]] Result<std::size_t> axis_of(const char* name, const Shape& shape, std::int64_t axis);
// An array of this shape, without memory. Error: see check_shape().
[[nodiscard]] Result<Array> new_array(const char* name, const Context& context, Shape shape,
                                      MemoryCategory category = MemoryCategory::kActivation);

// A shape seen from one of its axes: the product of the extents before it, its extent, and the product of the
// extents after it.
struct AroundAxis {
  std::int64_t outer = 1, extent = 1, inner = 1;
};
[[nodiscard]] AroundAxis around(const Shape& shape, std::size_t axis);

// Enqueue an op. If the engine refuses it, the arrays that it would change store the error.
Array enqueue_new(const Call& call, Array output, const Cost& cost, std::span<const Array* const> inputs,
                  Kernel kernel);
void enqueue_in_place(const Call& call, const Array& changed, const Cost& cost,
                      std::span<const Array* const> inputs, Kernel kernel, std::int64_t size_bytes = 0);

[[nodiscard]] inline double number_of(std::int64_t count) { return static_cast<double>(count); }

}  // namespace runahead::engine::checked
