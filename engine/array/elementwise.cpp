// Operators that treat each element alone, and the loss.
#include <algorithm>
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

// Of two factors the result is what the more specific one is: a gradient stays one.
template <typename Function>
Array map(const record::Site& site, const Array& a, MemoryCategory category, Function function) {
  RUNAHEAD_CHECK(static_cast<bool>(a));
  const std::int64_t count = a.size();
  const double n = static_cast<double>(count);
  Array output = make_array(a.context(), a.shape(), category);
  return enqueue_one(
      site, std::move(output), cost_of(n, 2 * n),
      [count, function](const float* const* in, float* const* out) {
        const float* x = in[0];
        float* y = out[0];
        for (std::int64_t i = 0; i < count; ++i) y[i] = function(x[i]);
      },
      a);
}

template <typename Function>
Array map_pair(const record::Site& site, const Array& a, const Array& b, MemoryCategory category,
               Function function) {
  RUNAHEAD_CHECK(static_cast<bool>(a) && static_cast<bool>(b));
  RUNAHEAD_CHECK(a.context() == b.context());
  RUNAHEAD_CHECK_OP(to_string(a.shape()), ==, to_string(b.shape()));
  const std::int64_t count = a.size();
  const double n = static_cast<double>(count);
  Array output = make_array(a.context(), a.shape(), category);
  return enqueue_one(
      site, std::move(output), cost_of(n, 3 * n),
      [count, function](const float* const* in, float* const* out) {
        const float* x = in[0];
        const float* y = in[1];
        float* z = out[0];
        for (std::int64_t i = 0; i < count; ++i) z[i] = function(x[i], y[i]);
      },
      a, b);
}

constexpr auto kActivation = MemoryCategory::kActivation;

}  // namespace

Array operator+(const Array& a, const Array& b) {
  return map_pair(kAdd, a, b, kActivation, [](float x, float y) { return x + y; });
}
Array operator-(const Array& a, const Array& b) {
  return map_pair(kSubtract, a, b, kActivation, [](float x, float y) { return x - y; });
}
Array operator*(const Array& a, const Array& b) {
  return map_pair(kMultiply, a, b, kActivation, [](float x, float y) { return x * y; });
}
Array operator/(const Array& a, const Array& b) {
  return map_pair(kDivide, a, b, kActivation, [](float x, float y) { return x / y; });
}
Array operator+(const Array& a, float b) {
  return map(kAdd, a, kActivation, [b](float x) { return x + b; });
}
Array operator-(const Array& a, float b) {
  return map(kSubtract, a, kActivation, [b](float x) { return x - b; });
}
Array operator*(const Array& a, float b) {
  return map(kMultiply, a, kActivation, [b](float x) { return x * b; });
}
Array operator/(const Array& a, float b) {
  return map(kDivide, a, kActivation, [b](float x) { return x / b; });
}

Array relu(const Array& a) {
  return map(kRelu, a, kActivation, [](float x) { return x > 0.0f ? x : 0.0f; });
}
Array relu_gradient(const Array& gradient, const Array& input) {
  return map_pair(kReluGradient, gradient, input, MemoryCategory::kGradient,
                  [](float g, float x) { return x > 0.0f ? g : 0.0f; });
}

Array l2_loss(const Array& prediction, const Array& label) {
  RUNAHEAD_CHECK(static_cast<bool>(prediction) && static_cast<bool>(label));
  RUNAHEAD_CHECK(prediction.context() == label.context());
  RUNAHEAD_CHECK_OP(prediction.size(), ==, label.size());
  const std::int64_t rows = prediction.shape().front(), columns = prediction.size() / rows;
  const double n = static_cast<double>(prediction.size());
  Array output = make_array(prediction.context(), {rows}, kActivation);
  return enqueue_one(
      kL2Loss, std::move(output), cost_of(3 * n, 2 * n + static_cast<double>(rows)),
      [rows, columns](const float* const* in, float* const* out) {
        for (std::int64_t r = 0; r < rows; ++r) {
          double total = 0;
          for (std::int64_t c = 0; c < columns; ++c) {
            const double error = static_cast<double>(in[1][r * columns + c]) - in[0][r * columns + c];
            total += error * error;
          }
          out[0][r] = static_cast<float>(total / 2);
        }
      },
      prediction, label);
}

Array l2_loss_gradient(const Array& prediction, const Array& label) {
  RUNAHEAD_CHECK(static_cast<bool>(prediction) && static_cast<bool>(label));
  RUNAHEAD_CHECK(prediction.context() == label.context());
  RUNAHEAD_CHECK_OP(prediction.size(), ==, label.size());
  const std::int64_t count = prediction.size();
  const double n = static_cast<double>(count);
  Array output = make_array(prediction.context(), prediction.shape(), MemoryCategory::kGradient);
  return enqueue_one(
      kL2LossGradient, std::move(output), cost_of(n, 3 * n),
      [count](const float* const* in, float* const* out) {
        for (std::int64_t i = 0; i < count; ++i) out[0][i] = in[0][i] - in[1][i];
      },
      prediction, label);
}

void sgd_update(const Array& parameter, const Array& gradient, float rate, std::int64_t batch) {
  RUNAHEAD_CHECK(parameter.context() == gradient.context());
  RUNAHEAD_CHECK_OP(parameter.size(), ==, gradient.size());
  RUNAHEAD_CHECK_OP(batch, >=, 1);
  const std::int64_t count = parameter.size();
  const double n = static_cast<double>(count);
  const float factor = rate / static_cast<float>(batch);
  const Array* const inputs[] = {&gradient};
  const Array* const in_place[] = {&parameter};
  const OpPlan plan{.site = &kSgdUpdate,
                    .engine = parameter.context().engine,
                    .device = parameter.context().device,
                    .inputs = inputs,
                    .in_place = in_place,
                    .cost = cost_of(2 * n, 3 * n)};
  (void)enqueue_op(plan, [count, factor](const float* const* in, float* const* out) {
    for (std::int64_t i = 0; i < count; ++i) out[0][i] -= factor * in[0][i];
  });
}

}  // namespace runahead::engine
