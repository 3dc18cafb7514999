// Elementwise operators with two operands.
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

// In the order of Binary.
constexpr record::Site kBinarySites[] = {
    operator_site("add"),          operator_site("subtract"),   operator_site("multiply"),
    operator_site("divide"),       operator_site("power"),      operator_site("maximum"),
    operator_site("minimum"),      operator_site("equal"),      operator_site("not_equal"),
    operator_site("less"),         operator_site("less_equal"), operator_site("greater"),
    operator_site("greater_equal")};

// ---- rows: the innermost loop on the host -----------------------------------------------------------------

// out[i] = a[i * a_step] op b[i * b_step]
using BinaryRow = void (*)(const float* a, std::int64_t a_step, const float* b, std::int64_t b_step,
                           float* out, std::int64_t count);

// Separate loops for the usual steps, so that the compiler can vectorise them.
template <typename Function>
void binary_row(const float* a, std::int64_t a_step, const float* b, std::int64_t b_step, float* out,
                std::int64_t count) {
  const Function function;
  if (a_step == 1 && b_step == 1) {
    for (std::int64_t i = 0; i < count; ++i) out[i] = function(a[i], b[i]);
  } else if (a_step == 1 && b_step == 0) {
    const float y = *b;
    for (std::int64_t i = 0; i < count; ++i) out[i] = function(a[i], y);
  } else if (a_step == 0 && b_step == 1) {
    const float x = *a;
    for (std::int64_t i = 0; i < count; ++i) out[i] = function(x, b[i]);
  } else {
    for (std::int64_t i = 0; i < count; ++i) out[i] = function(a[i * a_step], b[i * b_step]);
  }
}

struct Add {
  float operator()(float x, float y) const { return x + y; }
};
struct Subtract {
  float operator()(float x, float y) const { return x - y; }
};
struct Multiply {
  float operator()(float x, float y) const { return x * y; }
};
struct Divide {
  float operator()(float x, float y) const { return x / y; }
};
struct Power {
  float operator()(float x, float y) const { return std::pow(x, y); }
};
struct Maximum {  // x != x: x is NaN
  float operator()(float x, float y) const { return x > y || x != x ? x : y; }
};
struct Minimum {
  float operator()(float x, float y) const { return x < y || x != x ? x : y; }
};
struct Equal {
  float operator()(float x, float y) const { return x == y ? 1.0f : 0.0f; }
};
struct NotEqual {
  float operator()(float x, float y) const { return x != y ? 1.0f : 0.0f; }
};
struct Less {
  float operator()(float x, float y) const { return x < y ? 1.0f : 0.0f; }
};
struct LessEqual {
  float operator()(float x, float y) const { return x <= y ? 1.0f : 0.0f; }
};
struct Greater {
  float operator()(float x, float y) const { return x > y ? 1.0f : 0.0f; }
};
struct GreaterEqual {
  float operator()(float x, float y) const { return x >= y ? 1.0f : 0.0f; }
};

// In the order of Binary.
constexpr BinaryRow kBinaryRows[] = {binary_row<Add>,         binary_row<Subtract>,  binary_row<Multiply>,
                                     binary_row<Divide>,      binary_row<Power>,     binary_row<Maximum>,
                                     binary_row<Minimum>,     binary_row<Equal>,     binary_row<NotEqual>,
                                     binary_row<Less>,        binary_row<LessEqual>, binary_row<Greater>,
                                     binary_row<GreaterEqual>};

constexpr std::size_t index_of(Binary op) { return static_cast<std::size_t>(op); }

// ---- the device's primitives ------------------------------------------------------------------------------

std::optional<OfTwo> primitive_of_two(Binary op) {
  switch (op) {
    case Binary::kAdd:
      return OfTwo::kAdd;
    case Binary::kSubtract:
      return OfTwo::kSubtract;
    case Binary::kMultiply:
      return OfTwo::kMultiply;
    case Binary::kDivide:
      return OfTwo::kDivide;
    default:
      return std::nullopt;
  }
}

std::optional<WithScalar> primitive_with_scalar(Binary op) {
  switch (op) {
    case Binary::kAdd:
      return WithScalar::kAdd;
    case Binary::kSubtract:
      return WithScalar::kSubtract;
    case Binary::kMultiply:
      return WithScalar::kMultiply;
    case Binary::kDivide:
      return WithScalar::kDivide;
    default:
      return std::nullopt;
  }
}

// ---- two arrays -------------------------------------------------------------------------------------------

// Computes out = a op b. loops: the steps of a, b and out.
class OfArrays {
 public:
  OfArrays(Binary op, Loops<3> loops) : op_(op), loops_(std::move(loops)) {}

  // True: the device's primitives compute this, so it runs on every device.
  [[nodiscard]] bool has_primitive() const { return is_mapped() || row_operand() != Row::kNone; }

  void operator()(Arithmetic& math, const float* a, const float* b, float* out) const {
    if (is_mapped()) return math.map(*primitive_of_two(op_), a, b, out, loops_.front().count);
    const Row row = row_operand();
    if (row == Row::kNone) return compute_on_host(a, b, out);
    const Extent extent{loops_[0].count, loops_[1].count};
    row == Row::kB ? math.add_row(a, b, out, extent) : math.add_row(b, a, out, extent);
  }

 private:
  enum class Row : std::uint8_t { kNone, kA, kB };

  [[nodiscard]] bool is_mapped() const { return is_contiguous(loops_) && primitive_of_two(op_).has_value(); }
  // Which operand is one row that is added to each row of the other.
  [[nodiscard]] Row row_operand() const {
    using Steps = std::array<std::int64_t, 3>;
    if (op_ != Binary::kAdd || loops_.size() != 2 || loops_[1].step != Steps{1, 1, 1}) return Row::kNone;
    const std::int64_t columns = loops_[1].count;
    if (loops_[0].step == Steps{columns, 0, columns}) return Row::kB;
    return loops_[0].step == Steps{0, columns, columns} ? Row::kA : Row::kNone;
  }
  void compute_on_host(const float* a, const float* b, float* out) const {
    const BinaryRow row = kBinaryRows[index_of(op_)];
    const Loop<3>& inner = loops_.back();
    for_each_row(loops_, [&](const auto& at) {
      row(a + at[0], inner.step[0], b + at[1], inner.step[1], out + at[2], inner.count);
    });
  }

  Binary op_;
  Loops<3> loops_;
};

OfArrays of_arrays(Binary op, const Array& a, const Array& b, const Shape& shape) {
  return {op, loops_over<3>(shape, {broadcast_steps(a.shape(), shape), broadcast_steps(b.shape(), shape),
                                    steps_of(shape)})};
}

Cost cost_of_arrays(const Array& a, const Array& b, std::int64_t count) {
  return cost_of(number_of(count), number_of(a.size() + b.size() + count));
}

// The usual case, without loops: shapes are equal, and the device has the operator.
Array with_equal_array(const Call& call, OfTwo what, const Array& a, const Array& b) {
  const std::int64_t count = a.size();
  return enqueue_one(
      call, make_array(a.context(), a.shape(), MemoryCategory::kActivation), cost_of_arrays(a, b, count),
      [what, count](Arithmetic& math, const float* const* in, float* const* out) {
        math.map(what, in[0], in[1], out[0], count);
      },
      a, b);
}

Result<Array> with_array(Binary op, const Array& a, const Array& b, Where where) {
  const record::Site& site = kBinarySites[index_of(op)];
  if (Status sound = check_arrays(site.name, {&a, &b}); !sound.ok()) return sound.error();
  const std::optional<OfTwo> primitive = primitive_of_two(op);
  if (primitive && a.shape() == b.shape()) return with_equal_array({site, where}, *primitive, a, b);
  Result<Shape> shape = broadcast_shape(site.name, a.shape(), b.shape());
  if (!shape.ok()) return shape.error();
  OfArrays work = of_arrays(op, a, b, *shape);
  if (!work.has_primitive()) {
    if (Status sound = check_host_memory(site.name, a.context()); !sound.ok()) return sound.error();
  }
  Result<Array> output = new_array(site.name, a.context(), std::move(*shape));
  if (!output.ok()) return output;
  const Cost cost = cost_of_arrays(a, b, output->size());
  return enqueue_one(
      {site, where}, std::move(*output), cost,
      [work = std::move(work)](Arithmetic& math, const float* const* in, float* const* out) {
        work(math, in[0], in[1], out[0]);
      },
      a, b);
}

Status with_array_in_place(Binary op, const Array& a, const Array& b, Where where) {
  const record::Site& site = kBinarySites[index_of(op)];
  if (Status sound = check_arrays(site.name, {&a, &b}); !sound.ok()) return sound;
  if (!can_broadcast(b.shape(), a.shape())) return shapes_do_not_fit(site.name, a.shape(), b.shape());
  OfArrays work = of_arrays(op, a, b, a.shape());
  if (!work.has_primitive()) {
    if (Status sound = check_host_memory(site.name, a.context()); !sound.ok()) return sound;
  }
  const Array* const inputs[] = {&b};
  enqueue_in_place({site, where}, a, cost_of_arrays(a, b, a.size()), inputs,
                   [work = std::move(work)](Arithmetic& math, const float* const* in, float* const* out) {
                     work(math, out[0], in[0], out[0]);
                   });
  return Ok{};
}

// ---- an array and a number --------------------------------------------------------------------------------

// Computes out = a op number, or number op a.
struct OfNumber {
  Binary op;
  bool number_first;
  float number;
  std::int64_t count;

  [[nodiscard]] bool is_square() const { return op == Binary::kPower && !number_first && number == 2.0f; }
  [[nodiscard]] bool has_primitive() const {
    if (is_square()) return true;
    return primitive_with_scalar(op).has_value() && !(number_first && op == Binary::kDivide);
  }

  void operator()(Arithmetic& math, const float* a, float* out) const {
    if (is_square()) return math.map(OfTwo::kMultiply, a, a, out, count);
    if (!has_primitive()) return compute_on_host(a, out);
    if (number_first && op == Binary::kSubtract) {  // -a + number has the same bits as number - a
      math.map(WithScalar::kMultiply, a, -1.0f, out, count);
      return math.map(WithScalar::kAdd, out, number, out, count);
    }
    math.map(*primitive_with_scalar(op), a, number, out, count);
  }

 private:
  void compute_on_host(const float* a, float* out) const {
    const BinaryRow row = kBinaryRows[index_of(op)];
    number_first ? row(&number, 0, a, 1, out, count) : row(a, 1, &number, 0, out, count);
  }
};

Status check_number(const record::Site& site, const Array& a, const OfNumber& work) {
  if (Status sound = check_arrays(site.name, {&a}); !sound.ok()) return sound;
  if (work.has_primitive()) return Ok{};
  return check_host_memory(site.name, a.context());
}

OfNumber of_number(Binary op, const Array& a, float number, bool number_first) {
  return {.op = op, .number_first = number_first, .number = number, .count = a ? a.size() : 0};
}

Result<Array> with_number(Binary op, const Array& a, float number, bool number_first, Where where) {
  const record::Site& site = kBinarySites[index_of(op)];
  const OfNumber work = of_number(op, a, number, number_first);
  if (Status sound = check_number(site, a, work); !sound.ok()) return sound.error();
  const double n = number_of(work.count);
  return enqueue_one(
      {site, where}, make_array(a.context(), a.shape(), MemoryCategory::kActivation), cost_of(n, 2 * n),
      [work](Arithmetic& math, const float* const* in, float* const* out) { work(math, in[0], out[0]); }, a);
}

Status with_number_in_place(Binary op, const Array& a, float number, Where where) {
  const record::Site& site = kBinarySites[index_of(op)];
  const OfNumber work = of_number(op, a, number, false);
  if (Status sound = check_number(site, a, work); !sound.ok()) return sound;
  const double n = number_of(work.count);
  enqueue_in_place(
      {site, where}, a, cost_of(n, 2 * n), {},
      [work](Arithmetic& math, const float* const*, float* const* out) { work(math, out[0], out[0]); });
  return Ok{};
}

}  // namespace

const char* name_of(Binary op) { return kBinarySites[index_of(op)].name; }

std::optional<Binary> binary_named(std::string_view name) {
  const auto* const found = std::ranges::find(kBinarySites, name, &record::Site::name);
  if (found == std::end(kBinarySites)) return std::nullopt;
  return static_cast<Binary>(found - std::begin(kBinarySites));
}

Result<Array> binary(Binary op, const Value& a, const Value& b, Where where) {
  if (a.array != nullptr && b.array != nullptr) return with_array(op, *a.array, *b.array, where);
  if (a.array != nullptr) return with_number(op, *a.array, b.number, false, where);
  if (b.array != nullptr) return with_number(op, *b.array, a.number, true, where);
  return error_of(name_of(op), "one of the operands must be an array");
}

Status binary_in_place(Binary op, const Array& a, const Value& b, Where where) {
  if (b.array != nullptr) return with_array_in_place(op, a, *b.array, where);
  return with_number_in_place(op, a, b.number, where);
}

}  // namespace runahead::engine::checked
