// Checked operators: the operators for callers that pass on what a user wrote, such as a script. They differ
// from operators.h in two ways. Misuse is an error of the caller's user: the function returns an Error of one
// line, such as "add: shapes (2, 3) and (4) do not fit", and enqueues nothing. Shapes follow numpy: operands
// are broadcast, an array may have no axes (shape (), one element), and axes may be empty (extent 0).
//
// Each function enqueues one op and returns immediately. All arrays are float32 and row-major. If the engine
// refuses the op, or if the op fails, the function itself has succeeded: a later wait for the result reports
// the failure. An index that is out of range is such a failure, because only the op knows the values.
// Comparisons give 0 or 1. Sums accumulate in double, in an order that depends only on the shape. Where an
// operator of operators.h computes the same, the result has the same bits.
//
// Axes: an axis of -1 is the last one. `where`: see operators.h. The kind of a site in Where::site is
// kExecute, except for from_host, copy_to and assign: see the functions named *_kind. (On cuda, arange and
// eye are copies too, like from_host.)
//
// Devices. Everything runs on devices whose memory is host memory (cpu, virtual). On cuda there are only
// these; the others return an error:
//   creation   full, uniform, normal, from_host, arange, eye
//   binary     add, subtract, multiply, divide: equal shapes, or an array and a number (not number / array);
//              add of a row, (m, n) + (n); power of 2
//   others     negative, square, relu, relu_gradient; sum and mean of all elements or over the first axes;
//              reshape, concat along the first axis; slice and assign_slice of a contiguous range;
//              broadcast_to of a row; matmul, dense, l2_loss, l2_loss_gradient, sgd_update, assign, copy_to
//
// Threads: as in array.h, an array is used by one frontend thread at a time. No function aborts, whatever the
// arguments; empty handles are an error too.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "engine/array/array.h"
#include "engine/array/operators.h"
#include "engine/where.h"
#include "instrumentation/base/result.h"
#include "instrumentation/trace/rows/slice.h"

namespace runahead::engine::checked {

// An operand: an array, or a number that counts as an array of shape (). Borrows the array for the call.
struct Value {
  const Array* array = nullptr;
  float number = 0;
  Value(const Array& a) : array(&a) {}  // NOLINT: the implicit conversions are intended
  Value(float n) : number(n) {}         // NOLINT
};

// nullopt: all axes.
using Axes = std::optional<std::span<const std::int64_t>>;

// ---- elementwise ------------------------------------------------------------------------------------------
// maximum and minimum give NaN if an operand is NaN.
enum class Binary : std::uint8_t {
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kPower,
  kMaximum,
  kMinimum,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual
};
enum class Unary : std::uint8_t {
  kNegative,
  kAbs,
  kExp,
  kLog,
  kSqrt,
  kSquare,
  kTanh,
  kSigmoid,
  kRelu,
  kSign,
  kSin,
  kCos,
  kReciprocal,
  kFloor
};
// The name is also that of the op, such as "less_equal". binary_named() finds the operator of a name.
[[nodiscard]] const char* name_of(Binary op);
[[nodiscard]] const char* name_of(Unary op);
[[nodiscard]] std::optional<Binary> binary_named(std::string_view name);
[[nodiscard]] std::optional<Unary> unary_named(std::string_view name);

[[nodiscard]] Result<Array> binary(Binary op, const Value& a, const Value& b, Where where = Where::current());
// a = a op b, in place. b is broadcast to the shape of a.
[[nodiscard]] Status binary_in_place(Binary op, const Array& a, const Value& b,
                                     Where where = Where::current());
[[nodiscard]] Result<Array> unary(Unary op, const Array& a, Where where = Where::current());
[[nodiscard]] Result<Array> relu_gradient(const Array& gradient, const Array& input,
                                          Where where = Where::current());  // equal shapes
// NaN stays NaN.
[[nodiscard]] Result<Array> clip(const Array& a, float low, float high, Where where = Where::current());
// a where `condition` is not 0, b elsewhere; all three are broadcast (numpy: where).
[[nodiscard]] Result<Array> select(const Array& condition, const Value& a, const Value& b,
                                   Where where = Where::current());

// ---- reductions -------------------------------------------------------------------------------------------
// kNorm: the square root of the sum of squares. max and min give NaN if an element is NaN. Without elements
// sum and norm are 0, prod is 1, mean is NaN; max, min and argmax are an error.
enum class Reduction : std::uint8_t { kSum, kMean, kMax, kMin, kProd, kNorm };
[[nodiscard]] const char* name_of(Reduction op);
[[nodiscard]] std::optional<Reduction> reduction_named(std::string_view name);

[[nodiscard]] Result<Array> reduce(Reduction op, const Array& a, Axes axes, bool keep_dims,
                                   Where where = Where::current());
// The index of the first largest element, or of the first NaN. axis nullopt: the index among all elements;
// shape (). A float32 is exact up to index 2^24.
[[nodiscard]] Result<Array> argmax(const Array& a, std::optional<std::int64_t> axis,
                                   Where where = Where::current());
[[nodiscard]] Result<Array> softmax(const Array& a, std::int64_t axis, Where where = Where::current());
[[nodiscard]] Result<Array> log_softmax(const Array& a, std::int64_t axis, Where where = Where::current());
// The sum of `a` over the axes that broadcast_to(x, a.shape()) of an x of shape `shape` repeats.
[[nodiscard]] Result<Array> sum_to(const Array& a, const Shape& shape, Where where = Where::current());

// ---- layout: each result is a copy ------------------------------------------------------------------------
[[nodiscard]] Result<Array> reshape(const Array& a, const Shape& shape, Where where = Where::current());
// Axis i of the result is axis axes[i] of `a`. nullopt: the axes in reverse.
[[nodiscard]] Result<Array> transpose(const Array& a, Axes axes, Where where = Where::current());
[[nodiscard]] Result<Array> broadcast_to(const Array& a, const Shape& shape, Where where = Where::current());
// The indices start, start + step, ... before stop. All of them must be in range; a negative `stop` is not
// counted from the end (step < 0, stop -1: down to index 0). Python: slice.indices().
struct SliceRange {
  std::int64_t start = 0, stop = 0, step = 1;
};
// One range per axis.
[[nodiscard]] Result<Array> slice(const Array& a, std::span<const SliceRange> ranges,
                                  Where where = Where::current());
// In place. `value` is broadcast to the shape of the slice.
[[nodiscard]] Status assign_slice(const Array& a, std::span<const SliceRange> ranges, const Value& value,
                                  Where where = Where::current());
[[nodiscard]] Result<Array> concat(std::span<const Array> arrays, std::int64_t axis,
                                   Where where = Where::current());

// ---- indices: float32, rounded toward 0 -------------------------------------------------------------------
// A negative index counts from the end. An index that is out of range makes the op fail.
// The axis is replaced by the axes of `indices`: (5, m) and (2, 3) give (2, 3, m) for axis 0.
[[nodiscard]] Result<Array> take(const Array& a, const Array& indices, std::int64_t axis,
                                 Where where = Where::current());
// (m, n), (m) -> (m): a[i, indices[i]]
[[nodiscard]] Result<Array> pick(const Array& a, const Array& indices, Where where = Where::current());
// Adds a last axis of extent `depth`. Here a negative index is out of range.
[[nodiscard]] Result<Array> one_hot(const Array& indices, std::int64_t depth, Where where = Where::current());

// ---- products and training --------------------------------------------------------------------------------
// Two axes each, or more: then the first axes are a batch, and equal for both.
[[nodiscard]] Result<Array> matmul(const Array& a, const Array& b, Transpose transpose_a = Transpose::kNo,
                                   Transpose transpose_b = Transpose::kNo, Where where = Where::current());
// x (m, k), weight (n, k), bias (n) or null.
[[nodiscard]] Result<Array> dense(const Array& x, const Array& weight, const Array* bias,
                                  Where where = Where::current());
// Both have the same size, and at least one axis; see operators.h.
[[nodiscard]] Result<Array> l2_loss(const Array& prediction, const Array& label,
                                    Where where = Where::current());
[[nodiscard]] Result<Array> l2_loss_gradient(const Array& prediction, const Array& label,
                                             Where where = Where::current());
// In place.
[[nodiscard]] Status sgd_update(const Array& parameter, const Array& gradient, float rate, std::int64_t batch,
                                Where where = Where::current());

// ---- creation and copies ----------------------------------------------------------------------------------
[[nodiscard]] Result<Array> full(const Context& context, const Shape& shape, float value,
                                 MemoryCategory category = MemoryCategory::kOther,
                                 Where where = Where::current());
[[nodiscard]] Result<Array> uniform(const Context& context, const Shape& shape, RandomKey key, float low,
                                    float high, MemoryCategory category = MemoryCategory::kOther,
                                    Where where = Where::current());
[[nodiscard]] Result<Array> normal(const Context& context, const Shape& shape, RandomKey key, float mean,
                                   float deviation, MemoryCategory category = MemoryCategory::kOther,
                                   Where where = Where::current());
// Copies the values before it returns.
[[nodiscard]] Result<Array> from_host(const Context& context, const Shape& shape,
                                      std::span<const float> values, Where where = Where::current());
// start, start + step, ... before stop, computed in double. Shape (n).
[[nodiscard]] Result<Array> arange(const Context& context, double start, double stop, double step,
                                   Where where = Where::current());
// (rows, columns): 1 on the diagonal, 0 elsewhere.
[[nodiscard]] Result<Array> eye(const Context& context, std::int64_t rows, std::int64_t columns,
                                Where where = Where::current());
// In place. An array of the same size and device, or a number for all elements. Enqueues nothing if `from` is
// `to`.
[[nodiscard]] Status assign(const Array& to, const Value& from, Where where = Where::current());
[[nodiscard]] Result<Array> copy_to(const Array& a, const Context& to, HostMemory host = HostMemory::kPinned,
                                    Where where = Where::current());

// The kind of the op, for a site in Where::site.
[[nodiscard]] trace::SliceKind from_host_kind(const Context& to);
[[nodiscard]] trace::SliceKind copy_kind(const Context& from, const Context& to);
[[nodiscard]] trace::SliceKind assign_kind(const Value& from);

}  // namespace runahead::engine::checked
