// The operators: each enqueues one op (a sum two at most) and returns its result at once. float32; row-major;
// sums and products accumulate in an order that does not depend on the engine, so that values are the same
// bit for bit on every engine (one BLAS thread). Random numbers are counter-based (Philox 4x32-10, Salmon et
// al., SC 2011): element i of (seed, stream) is the same on every engine and device.
#pragma once

#include <cstdint>
#include <source_location>
#include <span>

#include "engine/array/array.h"
#include "engine/device/arithmetic.h"

namespace runahead::engine {

// Where a program calls an operator: told with the op's failure.
using Where = std::source_location;

// ---- sources ----------------------------------------------------------------------------------------------
[[nodiscard]] Array full(const Context& context, const Shape& shape, float value,
                         MemoryCategory category = MemoryCategory::kOther, Where where = Where::current());
[[nodiscard]] Array ones(const Context& context, const Shape& shape,
                         MemoryCategory category = MemoryCategory::kOther, Where where = Where::current());
[[nodiscard]] Array zeros(const Context& context, const Shape& shape,
                          MemoryCategory category = MemoryCategory::kOther, Where where = Where::current());
[[nodiscard]] Array uniform(const Context& context, const Shape& shape, RandomKey key, float low = 0.0f,
                            float high = 1.0f, MemoryCategory category = MemoryCategory::kOther,
                            Where where = Where::current());  // [low, high), the same bits everywhere
[[nodiscard]] Array normal(const Context& context, const Shape& shape, RandomKey key, float mean = 0.0f,
                           float deviation = 1.0f, MemoryCategory category = MemoryCategory::kOther,
                           Where where = Where::current());  // Box-Muller; within 1e-6 everywhere

// ---- arithmetic: arrays of one shape, or an array and a scalar --------------------------------------------
// The first one of two, and where it is: an operator's own sign has no room for that.
struct Operand {
  const Array& array;
  Where where;
  Operand(const Array& a, Where here = Where::current())
      : array(a), where(here) {}  // NOLINT: is converted to
};
[[nodiscard]] Array operator+(Operand a, const Array& b);
[[nodiscard]] Array operator-(Operand a, const Array& b);
[[nodiscard]] Array operator*(Operand a, const Array& b);
[[nodiscard]] Array operator/(Operand a, const Array& b);
[[nodiscard]] Array operator+(Operand a, float b);
[[nodiscard]] Array operator-(Operand a, float b);
[[nodiscard]] Array operator*(Operand a, float b);
[[nodiscard]] Array operator/(Operand a, float b);

// op(a) x op(b): (m, k) x (k, n). OpenBLAS on the host.
enum class Transpose : bool { kNo, kYes };
[[nodiscard]] Array matmul(const Array& a, const Array& b, Transpose transpose_a = Transpose::kNo,
                           Transpose transpose_b = Transpose::kNo,
                           MemoryCategory category = MemoryCategory::kActivation,
                           Where where = Where::current());
[[nodiscard]] Array sum(const Array& a, Where where = Where::current());       // of all elements; shape (1)
[[nodiscard]] Array sum_rows(const Array& a, Where where = Where::current());  // (m, n) -> (n): over the rows
[[nodiscard]] Array mean(const Array& a, Where where = Where::current());      // shape (1)

// ---- what an MLP needs ------------------------------------------------------------------------------------
[[nodiscard]] Array add_row(const Array& a, const Array& row,
                            Where where = Where::current());  // (m, n) + (n)
[[nodiscard]] Array dense(const Array& x, const Array& weight, const Array& bias,
                          Where where = Where::current());  // x (m,k), weight (n,k), bias (n): one op
[[nodiscard]] Array relu(const Array& a, Where where = Where::current());
[[nodiscard]] Array relu_gradient(const Array& gradient, const Array& input,
                                  Where where = Where::current());  // gradient where input > 0, else 0
[[nodiscard]] Array l2_loss(const Array& prediction, const Array& label,
                            Where where = Where::current());  // (y - p)^2 / 2 per row: (m)
[[nodiscard]] Array l2_loss_gradient(const Array& prediction, const Array& label,
                                     Where where = Where::current());  // (p - y), shape of prediction
// parameter -= rate / batch * gradient, in place.
void sgd_update(const Array& parameter, const Array& gradient, float rate, std::int64_t batch,
                Where where = Where::current());

// ---- in place, copies -------------------------------------------------------------------------------------
void assign(const Array& to, const Array& from, Where where = Where::current());  // one device
// To another device (or the same: an independent copy), over the link and its copy stream. host: what kind of
// host memory it goes through.
[[nodiscard]] Array copy_to(const Array& a, const Context& to, HostMemory host = HostMemory::kPinned,
                            Where where = Where::current());
[[nodiscard]] Array from_host(const Context& context, const Shape& shape, std::span<const float> values,
                              Where where = Where::current());

// ---- your own op ------------------------------------------------------------------------------------------
// How every operator above is made: outputs are made with `shapes`; the function gets the inputs' and
// outputs' values. Those are memory of the device: what they point to is the function's own business on a
// host (cpu, virtual), and math's on any device.
struct Values {
  Arithmetic& math;
  std::vector<const float*> in;
  std::vector<float*> out;
};
using ArrayFunction = UniqueFunction<void(const Values&)>;
struct ArrayOp {
  const record::Site* site = nullptr;
  std::vector<Array> inputs;
  std::vector<Array> in_place;  // read and written; after the new outputs in Values::out
  std::vector<Shape> shapes;    // of new outputs
  Cost cost;
  MemoryCategory category = MemoryCategory::kActivation;
};
[[nodiscard]] std::vector<Array> apply(const Context& context, ArrayOp op, ArrayFunction function);

}  // namespace runahead::engine
