// Elementwise operators with one operand, and operators that choose between elements.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "engine/array/checked/arguments.h"
#include "engine/array/checked/strides.h"

namespace runahead::engine::checked {
namespace {

// In the order of Unary.
constexpr record::Site kUnarySites[] = {
    operator_site("negative"),   operator_site("abs"),    operator_site("exp"),  operator_site("log"),
    operator_site("sqrt"),       operator_site("square"), operator_site("tanh"), operator_site("sigmoid"),
    operator_site("relu"),       operator_site("sign"),   operator_site("sin"),  operator_site("cos"),
    operator_site("reciprocal"), operator_site("floor")};
constexpr record::Site kClip = operator_site("clip");
constexpr record::Site kSelect = operator_site("where");

template <typename Function>
void unary_row(const float* a, float* out, std::int64_t count, Function function) {
  for (std::int64_t i = 0; i < count; ++i) out[i] = function(a[i]);
}

// x != x: x is NaN.
float sign_of(float x) { return x != x ? x : static_cast<float>((x > 0.0f) - (x < 0.0f)); }

void compute_unary(Unary op, Arithmetic& math, const float* a, float* out, std::int64_t count) {
  switch (op) {
    case Unary::kNegative:
      return math.map(WithScalar::kMultiply, a, -1.0f, out, count);
    case Unary::kSquare:
      return math.map(OfTwo::kMultiply, a, a, out, count);
    case Unary::kRelu:
      return math.map(WithScalar::kRelu, a, 0.0f, out, count);
    case Unary::kAbs:
      return unary_row(a, out, count, [](float x) { return std::fabs(x); });
    case Unary::kExp:
      return unary_row(a, out, count, [](float x) { return std::exp(x); });
    case Unary::kLog:
      return unary_row(a, out, count, [](float x) { return std::log(x); });
    case Unary::kSqrt:
      return unary_row(a, out, count, [](float x) { return std::sqrt(x); });
    case Unary::kTanh:
      return unary_row(a, out, count, [](float x) { return std::tanh(x); });
    case Unary::kSigmoid:
      return unary_row(a, out, count, [](float x) { return 1.0f / (1.0f + std::exp(-x)); });
    case Unary::kSign:
      return unary_row(a, out, count, sign_of);
    case Unary::kSin:
      return unary_row(a, out, count, [](float x) { return std::sin(x); });
    case Unary::kCos:
      return unary_row(a, out, count, [](float x) { return std::cos(x); });
    case Unary::kReciprocal:
      return unary_row(a, out, count, [](float x) { return 1.0f / x; });
    case Unary::kFloor:
      return unary_row(a, out, count, [](float x) { return std::floor(x); });
  }
}

bool has_primitive(Unary op) { return op == Unary::kNegative || op == Unary::kSquare || op == Unary::kRelu; }

// Computes out = a where condition, b elsewhere. A number is an operand whose step is always 0.
struct Selection {
  Loops<4> loops;  // the steps of the condition, a, b and out
  float a_number, b_number;
  bool a_is_array, b_is_array;

  void operator()(const float* const* in, float* out) const {
    const float* const a = a_is_array ? in[1] : &a_number;
    const float* const b = !b_is_array ? &b_number : a_is_array ? in[2] : in[1];
    const Loop<4>& inner = loops.back();
    const auto [condition_step, a_step, b_step, out_step] = inner.step;
    for_each_row(loops, [&](const auto& at) {
      const float *const c = in[0] + at[0], *const x = a + at[1], *const y = b + at[2];
      float* const to = out + at[3];
      for (std::int64_t i = 0; i < inner.count; ++i)
        to[i * out_step] = c[i * condition_step] != 0.0f ? x[i * a_step] : y[i * b_step];
    });
  }
};

}  // namespace

const char* name_of(Unary op) { return kUnarySites[static_cast<std::size_t>(op)].name; }

std::optional<Unary> unary_named(std::string_view name) {
  const auto* const found = std::ranges::find(kUnarySites, name, &record::Site::name);
  if (found == std::end(kUnarySites)) return std::nullopt;
  return static_cast<Unary>(found - std::begin(kUnarySites));
}

Result<Array> unary(Unary op, const Array& a, Where where) {
  const record::Site& site = kUnarySites[static_cast<std::size_t>(op)];
  if (Status sound = check_arrays(site.name, {&a}); !sound.ok()) return sound.error();
  if (!has_primitive(op)) {
    if (Status sound = check_host_memory(site.name, a.context()); !sound.ok()) return sound.error();
  }
  const double n = number_of(a.size());
  return enqueue_one(
      {site, where}, make_array(a.context(), a.shape(), MemoryCategory::kActivation), cost_of(n, 2 * n),
      [op, count = a.size()](Arithmetic& math, const float* const* in, float* const* out) {
        compute_unary(op, math, in[0], out[0], count);
      },
      a);
}

Result<Array> relu_gradient(const Array& gradient, const Array& input, Where where) {
  if (Status sound = check_arrays("relu_gradient", {&gradient, &input}); !sound.ok()) return sound.error();
  if (gradient.shape() != input.shape())
    return shapes_do_not_fit("relu_gradient", gradient.shape(), input.shape());
  return engine::relu_gradient(gradient, input, where);
}

Result<Array> clip(const Array& a, float low, float high, Where where) {
  if (Status sound = check_arrays("clip", {&a}); !sound.ok()) return sound.error();
  if (Status sound = check_host_memory("clip", a.context()); !sound.ok()) return sound.error();
  const double n = number_of(a.size());
  return enqueue_one(
      {kClip, where}, make_array(a.context(), a.shape(), MemoryCategory::kActivation), cost_of(2 * n, 2 * n),
      [low, high, count = a.size()](Arithmetic&, const float* const* in, float* const* out) {
        unary_row(in[0], out[0], count, [=](float x) {
          const float raised = x < low ? low : x;
          return raised > high ? high : raised;
        });
      },
      a);
}

Result<Array> select(const Array& condition, const Value& a, const Value& b, Where where) {
  const char* const name = kSelect.name;
  std::vector<const Array*> inputs{&condition};
  Shape shape = condition ? condition.shape() : Shape{};
  for (const Value* value : {&a, &b}) {
    if (value->array == nullptr) continue;
    inputs.push_back(value->array);
    if (Status sound = check_arrays(name, {&condition, value->array}); !sound.ok()) return sound.error();
    Result<Shape> both = broadcast_shape(name, shape, value->array->shape());
    if (!both.ok()) return both.error();
    shape = std::move(*both);
  }
  if (Status sound = check_arrays(name, {&condition}); !sound.ok()) return sound.error();
  if (Status sound = check_host_memory(name, condition.context()); !sound.ok()) return sound.error();
  Result<Array> output = new_array(name, condition.context(), shape);
  if (!output.ok()) return output;
  const auto steps = [&](const Value& value) {
    return broadcast_steps(value.array != nullptr ? value.array->shape() : Shape{}, shape);
  };
  Selection work{loops_over<4>(shape, {steps(condition), steps(a), steps(b), steps_of(shape)}), a.number,
                 b.number, a.array != nullptr, b.array != nullptr};
  const double n = number_of(output->size());
  return enqueue_new(
      {kSelect, where}, std::move(*output), cost_of(n, 4 * n), inputs,
      [work = std::move(work)](Arithmetic&, const float* const* in, float* const* out) { work(in, out[0]); });
}

}  // namespace runahead::engine::checked
