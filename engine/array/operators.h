// The operators. Each operator enqueues one op and returns its result immediately. All arrays are float32 and
// row-major. Sums and products accumulate in an order that does not depend on the engine. Therefore every
// engine gives the same bits, if BLAS uses one thread. Random numbers are counter-based (source: Philox
// 4x32-10, Salmon et al., SC 2011): element i of a RandomKey (seed, stream) is the same on every engine and
// device.
// `where`: the place of the call. An error message of the op names this place. Where::at() also replaces the
// operator's site.
#pragma once

#include <cstdint>
#include <span>

#include "engine/array/array.h"
#include "engine/device/arithmetic.h"
#include "engine/where.h"

namespace runahead::engine {

// ---- sources ----------------------------------------------------------------------------------------------
[[nodiscard]] Array full(const Context& context, const Shape& shape, float value,
                         MemoryCategory category = MemoryCategory::kOther, Where where = Where::current());
[[nodiscard]] Array ones(const Context& context, const Shape& shape,
                         MemoryCategory category = MemoryCategory::kOther, Where where = Where::current());
[[nodiscard]] Array zeros(const Context& context, const Shape& shape,
                          MemoryCategory category = MemoryCategory::kOther, Where where = Where::current());
// uniform: random values in [low, high). Every engine and device gives the same bits.
[[nodiscard]] Array uniform(const Context& context, const Shape& shape, RandomKey key, float low = 0.0f,
                            float high = 1.0f, MemoryCategory category = MemoryCategory::kOther,
                            Where where = Where::current());
[[nodiscard]] Array normal(const Context& context, const Shape& shape, RandomKey key, float mean = 0.0f,
                           float deviation = 1.0f, MemoryCategory category = MemoryCategory::kOther,
                           Where where = Where::current());  // Box-Muller; every device is within 1e-6 of the
                                                             // exact value

// The left operand of an overloaded operator (+, -, *, /), and the place of the call. An overloaded operator
// cannot have an extra parameter for the place. Instead, the implicit conversion from Array to Operand stores
// the place in the Operand.
struct Operand {
  const Array& array;
  Where where;
  Operand(const Array& a, Where here = Where::current())
      : array(a), where(here) {}  // NOLINT: the implicit conversion is intended
};
[[nodiscard]] Array operator+(Operand a, const Array& b);
[[nodiscard]] Array operator-(Operand a, const Array& b);
[[nodiscard]] Array operator*(Operand a, const Array& b);
[[nodiscard]] Array operator/(Operand a, const Array& b);
[[nodiscard]] Array operator+(Operand a, float b);
[[nodiscard]] Array operator-(Operand a, float b);
[[nodiscard]] Array operator*(Operand a, float b);
[[nodiscard]] Array operator/(Operand a, float b);

// Computes op(a) x op(b). op(x) is x or, with Transpose::kYes, x transposed. op(a) has shape (m, k), op(b)
// has shape (k, n). The host uses OpenBLAS.
enum class Transpose : bool { kNo, kYes };
[[nodiscard]] Array matmul(const Array& a, const Array& b, Transpose transpose_a = Transpose::kNo,
                           Transpose transpose_b = Transpose::kNo,
                           MemoryCategory category = MemoryCategory::kActivation,
                           Where where = Where::current());
[[nodiscard]] Array sum(const Array& a, Where where = Where::current());  // sum of all elements; shape (1)
// (m, n) -> (n): sum over the rows
[[nodiscard]] Array sum_rows(const Array& a, Where where = Where::current());
[[nodiscard]] Array mean(const Array& a, Where where = Where::current());  // shape (1)

// ---- for multi-layer perceptrons --------------------------------------------------------------------------
[[nodiscard]] Array add_row(const Array& a, const Array& row,
                            Where where = Where::current());  // (m, n) + (n)
[[nodiscard]] Array dense(const Array& x, const Array& weight, const Array& bias,
                          Where where = Where::current());  // x (m,k), weight (n,k), bias (n): one op
[[nodiscard]] Array relu(const Array& a, Where where = Where::current());
[[nodiscard]] Array relu_gradient(const Array& gradient, const Array& input,
                                  Where where = Where::current());  // gradient where input > 0, 0 elsewhere
// result: for each of the m rows, the sum of (prediction - label)^2 / 2; shape (m)
[[nodiscard]] Array l2_loss(const Array& prediction, const Array& label, Where where = Where::current());
[[nodiscard]] Array l2_loss_gradient(const Array& prediction, const Array& label,
                                     Where where = Where::current());  // prediction - label, same shape
// parameter -= rate / batch * gradient, in place.
void sgd_update(const Array& parameter, const Array& gradient, float rate, std::int64_t batch,
                Where where = Where::current());

// ---- in place, copies -------------------------------------------------------------------------------------
void assign(const Array& to, const Array& from, Where where = Where::current());  // `to` and `from` must be
                                                                                  // on one device
// Copies `a` to `to.device`. A copy to another device runs on a stream for copies and goes over the link
// (such as PCIe). A copy on the same device is a new array with its own memory. host: the kind of host memory
// that a copy over the link uses.
[[nodiscard]] Array copy_to(const Array& a, const Context& to, HostMemory host = HostMemory::kPinned,
                            Where where = Where::current());
[[nodiscard]] Array from_host(const Context& context, const Shape& shape, std::span<const float> values,
                              Where where = Where::current());

// ---- user-defined ops -------------------------------------------------------------------------------------
// apply() enqueues one op, like each operator above. The op makes outputs of the given `shapes`. The user's
// function gets pointers to the values of inputs and outputs, in the device's memory. On a device whose
// memory is host memory (cpu, virtual) the function may access the values directly. On any device the
// function may compute with `math`.
struct Values {
  Arithmetic& math;
  std::vector<const float*> in;
  std::vector<float*> out;
};
using ArrayFunction = UniqueFunction<void(const Values&)>;
struct ArrayOp {
  const record::Site* site = nullptr;
  std::vector<Array> inputs;
  std::vector<Array> in_place;  // arrays that are read and written; they follow the new outputs in
                                // Values::out
  std::vector<Shape> shapes;    // shapes of the new outputs
  Cost cost;
  MemoryCategory category = MemoryCategory::kActivation;
};
[[nodiscard]] std::vector<Array> apply(const Context& context, ArrayOp op, ArrayFunction function);

}  // namespace runahead::engine
