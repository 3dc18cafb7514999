// Matrix products and sums.
#include <utility>

#include "engine/array/array_state.h"
#include "engine/array/operators.h"
#include "instrumentation/base/check.h"

namespace runahead::engine {

namespace {

using trace::SliceKind;
constexpr record::Site kMatmul{"matmul", SliceKind::kExecute, __FILE__, __LINE__};
constexpr record::Site kDense{"dense", SliceKind::kExecute, __FILE__, __LINE__};
constexpr record::Site kSum{"sum", SliceKind::kExecute, __FILE__, __LINE__};
constexpr record::Site kMean{"mean", SliceKind::kExecute, __FILE__, __LINE__};
constexpr record::Site kSumRows{"sum_rows", SliceKind::kExecute, __FILE__, __LINE__};
constexpr record::Site kAddRow{"add_row", SliceKind::kExecute, __FILE__, __LINE__};

Extent matrix_extent(const Array& a) {
  RUNAHEAD_CHECK(static_cast<bool>(a));
  RUNAHEAD_CHECK_OP(a.shape().size(), ==, 2u);
  return {a.shape()[0], a.shape()[1]};
}

Cost product_cost(const MatrixProduct& p) {
  const double m = static_cast<double>(p.m), n = static_cast<double>(p.n), k = static_cast<double>(p.k);
  return cost_of(2 * m * n * k, m * k + k * n + m * n);
}

Array total(const Call& call, const Array& a, double divisor) {
  RUNAHEAD_CHECK(static_cast<bool>(a));
  const std::int64_t count = a.size();
  const double n = static_cast<double>(count);
  Array output = make_array(a.context(), {1}, MemoryCategory::kActivation);
  return enqueue_one(
      call, std::move(output), cost_of(n, n + 1),
      [count, divisor](Arithmetic& math, const float* const* in, float* const* out) {
        math.total(in[0], count, divisor, out[0]);
      },
      a);
}

}  // namespace

Array matmul(const Array& a, const Array& b, Transpose transpose_a, Transpose transpose_b,
             MemoryCategory category, Where where) {
  const Extent ea = matrix_extent(a), eb = matrix_extent(b);
  RUNAHEAD_CHECK(a.context() == b.context());
  const bool ta = transpose_a == Transpose::kYes, tb = transpose_b == Transpose::kYes;
  const MatrixProduct product{.m = ta ? ea.columns : ea.rows,
                              .n = tb ? eb.rows : eb.columns,
                              .k = ta ? ea.rows : ea.columns,
                              .transpose_a = ta,
                              .transpose_b = tb};
  RUNAHEAD_CHECK_OP(product.k, ==, tb ? eb.columns : eb.rows);
  Array output = make_array(a.context(), {product.m, product.n}, category);
  return enqueue_one(
      {kMatmul, where}, std::move(output), product_cost(product),
      [product](Arithmetic& math, const float* const* in, float* const* out) {
        math.multiply(product, in[0], in[1], out[0]);
      },
      a, b);
}

Array dense(const Array& x, const Array& weight, const Array& bias, Where where) {
  const Extent ex = matrix_extent(x), ew = matrix_extent(weight);
  RUNAHEAD_CHECK(x.context() == weight.context() && x.context() == bias.context());
  RUNAHEAD_CHECK_OP(ex.columns, ==, ew.columns);
  RUNAHEAD_CHECK_OP(bias.size(), ==, ew.rows);
  const MatrixProduct product{.m = ex.rows, .n = ew.rows, .k = ex.columns, .transpose_b = true, .beta = 1.0f};
  Array output = make_array(x.context(), {product.m, product.n}, MemoryCategory::kActivation);
  return enqueue_one(
      {kDense, where}, std::move(output), product_cost(product),
      [product](Arithmetic& math, const float* const* in, float* const* out) {
        math.add_row(nullptr, in[2], out[0], {product.m, product.n});
        math.multiply(product, in[0], in[1], out[0]);
      },
      x, weight, bias);
}

Array sum(const Array& a, Where where) { return total({kSum, where}, a, 1.0); }
Array mean(const Array& a, Where where) { return total({kMean, where}, a, static_cast<double>(a.size())); }

Array sum_rows(const Array& a, Where where) {
  const Extent extent = matrix_extent(a);
  const double n = static_cast<double>(a.size());
  Array output = make_array(a.context(), {extent.columns}, MemoryCategory::kGradient);
  return enqueue_one(
      {kSumRows, where}, std::move(output), cost_of(n, n + static_cast<double>(extent.columns)),
      [extent](Arithmetic& math, const float* const* in, float* const* out) {
        math.sum_rows(in[0], extent, out[0]);
      },
      a);
}

Array add_row(const Array& a, const Array& row, Where where) {
  const Extent extent = matrix_extent(a);
  RUNAHEAD_CHECK(a.context() == row.context());
  RUNAHEAD_CHECK_OP(row.size(), ==, extent.columns);
  const double n = static_cast<double>(a.size());
  Array output = make_array(a.context(), a.shape(), MemoryCategory::kActivation);
  return enqueue_one(
      {kAddRow, where}, std::move(output), cost_of(n, 2 * n + static_cast<double>(extent.columns)),
      [extent](Arithmetic& math, const float* const* in, float* const* out) {
        math.add_row(in[0], in[1], out[0], extent);
      },
      a, row);
}

}  // namespace runahead::engine
