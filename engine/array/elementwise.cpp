// Elementwise operators and the loss function.
#include <utility>

#include "engine/array/array_state.h"
#include "engine/array/operators.h"
#include "instrumentation/base/check.h"

namespace runahead::engine {

namespace {

using trace::SliceKind;
constexpr record::Site kAdd{"add", SliceKind::kExecute, __FILE__, __LINE__};
constexpr record::Site kSubtract{"subtract", SliceKind::kExecute, __FILE__, __LINE__};
constexpr record::Site kMultiply{"multiply", SliceKind::kExecute, __FILE__, __LINE__};
constexpr record::Site kDivide{"divide", SliceKind::kExecute, __FILE__, __LINE__};
constexpr record::Site kRelu{"relu", SliceKind::kExecute, __FILE__, __LINE__};
constexpr record::Site kReluGradient{"relu_gradient", SliceKind::kExecute, __FILE__, __LINE__};
constexpr record::Site kL2Loss{"l2_loss", SliceKind::kExecute, __FILE__, __LINE__};
constexpr record::Site kL2LossGradient{"l2_loss_gradient", SliceKind::kExecute, __FILE__, __LINE__};
constexpr record::Site kSgdUpdate{"sgd_update", SliceKind::kExecute, __FILE__, __LINE__};

// Applies an operator to an array and a scalar. The memory of the result has MemoryCategory::kActivation.
Array map(const Call& call, const Array& a, WithScalar what, float scalar) {
  RUNAHEAD_CHECK(static_cast<bool>(a));
  const std::int64_t count = a.size();
  const double n = static_cast<double>(count);
  Array output = make_array(a.context(), a.shape(), MemoryCategory::kActivation);
  return enqueue_one(
      call, std::move(output), cost_of(n, 2 * n),
      [=](Arithmetic& math, const float* const* in, float* const* out) {
        math.map(what, in[0], scalar, out[0], count);
      },
      a);
}

Array map(const Call& call, const Array& a, const Array& b, OfTwo what,
          MemoryCategory category = MemoryCategory::kActivation) {
  RUNAHEAD_CHECK(static_cast<bool>(a) && static_cast<bool>(b));
  RUNAHEAD_CHECK(a.context() == b.context());
  if (a.shape() != b.shape()) RUNAHEAD_CHECK_OP(to_string(a.shape()), ==, to_string(b.shape()));
  const std::int64_t count = a.size();
  const double n = static_cast<double>(count);
  Array output = make_array(a.context(), a.shape(), category);
  return enqueue_one(
      call, std::move(output), cost_of(n, 3 * n),
      [=](Arithmetic& math, const float* const* in, float* const* out) {
        math.map(what, in[0], in[1], out[0], count);
      },
      a, b);
}

}  // namespace

Array operator+(Operand a, const Array& b) { return map({kAdd, a.where}, a.array, b, OfTwo::kAdd); }
Array operator-(Operand a, const Array& b) { return map({kSubtract, a.where}, a.array, b, OfTwo::kSubtract); }
Array operator*(Operand a, const Array& b) { return map({kMultiply, a.where}, a.array, b, OfTwo::kMultiply); }
Array operator/(Operand a, const Array& b) { return map({kDivide, a.where}, a.array, b, OfTwo::kDivide); }
Array operator+(Operand a, float b) { return map({kAdd, a.where}, a.array, WithScalar::kAdd, b); }
Array operator-(Operand a, float b) { return map({kSubtract, a.where}, a.array, WithScalar::kSubtract, b); }
Array operator*(Operand a, float b) { return map({kMultiply, a.where}, a.array, WithScalar::kMultiply, b); }
Array operator/(Operand a, float b) { return map({kDivide, a.where}, a.array, WithScalar::kDivide, b); }

Array relu(const Array& a, Where where) { return map({kRelu, where}, a, WithScalar::kRelu, 0.0f); }
Array relu_gradient(const Array& gradient, const Array& input, Where where) {
  return map({kReluGradient, where}, gradient, input, OfTwo::kReluGradient, MemoryCategory::kGradient);
}

Array l2_loss(const Array& prediction, const Array& label, Where where) {
  RUNAHEAD_CHECK(static_cast<bool>(prediction) && static_cast<bool>(label));
  RUNAHEAD_CHECK(prediction.context() == label.context());
  RUNAHEAD_CHECK_OP(prediction.size(), ==, label.size());
  const std::int64_t rows = prediction.shape().front(), columns = prediction.size() / rows;
  const double n = static_cast<double>(prediction.size());
  Array output = make_array(prediction.context(), {rows}, MemoryCategory::kActivation);
  return enqueue_one(
      {kL2Loss, where}, std::move(output), cost_of(3 * n, 2 * n + static_cast<double>(rows)),
      [=](Arithmetic& math, const float* const* in, float* const* out) {
        math.half_squared_error(in[0], in[1], {rows, columns}, out[0]);
      },
      prediction, label);
}

Array l2_loss_gradient(const Array& prediction, const Array& label, Where where) {
  RUNAHEAD_CHECK(static_cast<bool>(prediction) && static_cast<bool>(label));
  RUNAHEAD_CHECK(prediction.context() == label.context());
  RUNAHEAD_CHECK_OP(prediction.size(), ==, label.size());
  const std::int64_t count = prediction.size();
  const double n = static_cast<double>(count);
  Array output = make_array(prediction.context(), prediction.shape(), MemoryCategory::kGradient);
  return enqueue_one(
      {kL2LossGradient, where}, std::move(output), cost_of(n, 3 * n),
      [count](Arithmetic& math, const float* const* in, float* const* out) {
        math.map(OfTwo::kSubtract, in[0], in[1], out[0], count);
      },
      prediction, label);
}

void sgd_update(const Array& parameter, const Array& gradient, float rate, std::int64_t batch, Where where) {
  RUNAHEAD_CHECK(parameter.context() == gradient.context());
  RUNAHEAD_CHECK_OP(parameter.size(), ==, gradient.size());
  RUNAHEAD_CHECK_OP(batch, >=, 1);
  const std::int64_t count = parameter.size();
  const double n = static_cast<double>(count);
  const float factor = rate / static_cast<float>(batch);
  const Array* const inputs[] = {&gradient};
  const Array* const in_place[] = {&parameter};
  const OpPlan plan{.site = &kSgdUpdate,
                    .where = where,
                    .engine = parameter.context().engine,
                    .device = parameter.context().device,
                    .inputs = inputs,
                    .in_place = in_place,
                    .cost = cost_of(2 * n, 3 * n)};
  (void)enqueue_op(plan, [count, factor](Arithmetic& math, const float* const* in, float* const* out) {
    math.subtract_scaled(out[0], in[0], factor, count);
  });
}

}  // namespace runahead::engine
