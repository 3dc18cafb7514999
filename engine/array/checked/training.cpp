// Matrix products, losses and the update of parameters.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "engine/array/checked/arguments.h"

namespace runahead::engine::checked {
namespace {

constexpr record::Site kMatmul = operator_site("matmul");
constexpr record::Site kDense = operator_site("dense");

// Products of `batch` pairs of matrices, which follow each other in memory.
struct Products {
  std::int64_t batch = 1;
  MatrixProduct each;

  void operator()(Arithmetic& math, const float* a, const float* b, float* out) const {
    if (each.k == 0) return math.fill(out, batch * each.m * each.n, 0.0f);
    for (std::int64_t i = 0; i < batch; ++i) {
      math.multiply(each, a + i * each.m * each.k, b + i * each.k * each.n, out + i * each.m * each.n);
    }
  }
  [[nodiscard]] Cost cost() const {
    const double m = number_of(each.m), n = number_of(each.n), k = number_of(each.k),
                 count = number_of(batch);
    return cost_of(count * 2 * m * n * k, count * (m * k + k * n + m * n));
  }
};

// Error: BLAS takes 32-bit extents.
Status check_extents(const char* name, const MatrixProduct& product) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  if (std::max({product.m, product.n, product.k}) <= kMost) return Ok{};
  return error_of(name, "an extent of a matrix is above " + std::to_string(kMost));
}

// The product of the last two axes. The axes before them must be equal.
Result<Products> products_of(const char* name, const Array& a, const Array& b, bool ta, bool tb) {
  const Shape &sa = a.shape(), &sb = b.shape();
  const std::size_t rank = sa.size();
  if (rank < 2 || sb.size() != rank || !std::equal(sa.begin(), sa.end() - 2, sb.begin()))
    return shapes_do_not_fit(name, sa, sb);
  Products products;
  for (std::size_t axis = 0; axis + 2 < rank; ++axis) products.batch *= sa[axis];
  products.each = {.m = ta ? sa[rank - 1] : sa[rank - 2],
                   .n = tb ? sb[rank - 2] : sb[rank - 1],
                   .k = ta ? sa[rank - 2] : sa[rank - 1],
                   .transpose_a = ta,
                   .transpose_b = tb};
  if (products.each.k != (tb ? sb[rank - 1] : sb[rank - 2])) return shapes_do_not_fit(name, sa, sb);
  if (Status sound = check_extents(name, products.each); !sound.ok()) return sound.error();
  return products;
}

Result<Array> multiply(const Call& call, const Array& a, const Array& b, bool ta, bool tb) {
  const char* const name = call.site.name;
  const Result<Products> products = products_of(name, a, b, ta, tb);
  if (!products.ok()) return products.error();
  Shape shape(a.shape().begin(), a.shape().end() - 2);
  shape.insert(shape.end(), {products->each.m, products->each.n});
  Result<Array> output = new_array(name, a.context(), std::move(shape));
  if (!output.ok()) return output;
  return enqueue_one(
      call, std::move(*output), products->cost(),
      [work = *products](Arithmetic& math, const float* const* in, float* const* out) {
        work(math, in[0], in[1], out[0]);
      },
      a, b);
}

// Error: the sizes differ, or there is no axis of rows.
Status check_pair(const char* name, const Array& a, const Array& b) {
  if (Status sound = check_arrays(name, {&a, &b}); !sound.ok()) return sound;
  if (a.size() != b.size()) return shapes_do_not_fit(name, a.shape(), b.shape());
  return Ok{};
}

}  // namespace

Result<Array> matmul(const Array& a, const Array& b, Transpose transpose_a, Transpose transpose_b,
                     Where where) {
  if (Status sound = check_arrays(kMatmul.name, {&a, &b}); !sound.ok()) return sound.error();
  return multiply({kMatmul, where}, a, b, transpose_a == Transpose::kYes, transpose_b == Transpose::kYes);
}

Result<Array> dense(const Array& x, const Array& weight, const Array* bias, Where where) {
  const char* const name = kDense.name;
  if (Status sound = check_arrays(name, {&x, &weight}); !sound.ok()) return sound.error();
  if (x.shape().size() != 2) return shapes_do_not_fit(name, x.shape(), weight.shape());
  if (bias == nullptr) return multiply({kDense, where}, x, weight, false, true);
  if (Status sound = check_arrays(name, {&x, bias}); !sound.ok()) return sound.error();
  const Result<Products> product = products_of(name, x, weight, false, true);
  if (!product.ok()) return product.error();
  if (bias->size() != product->each.n) return shapes_do_not_fit(name, weight.shape(), bias->shape());
  const Extent extent{product->each.m, product->each.n};
  if (Status sound = check_shape(name, {extent.rows, extent.columns}); !sound.ok()) return sound.error();
  if (product->each.k != 0) return engine::dense(x, weight, *bias, where);
  return enqueue_one(  // only the bias is left
      {kDense, where}, make_array(x.context(), {extent.rows, extent.columns}, MemoryCategory::kActivation),
      product->cost(),
      [extent](Arithmetic& math, const float* const* in, float* const* out) {
        math.add_row(nullptr, in[2], out[0], extent);
      },
      x, weight, *bias);
}

Result<Array> l2_loss(const Array& prediction, const Array& label, Where where) {
  const char* const name = "l2_loss";
  if (Status sound = check_pair(name, prediction, label); !sound.ok()) return sound.error();
  if (prediction.shape().empty()) return error_of(name, "shape () has no axis of rows");
  if (prediction.size() == 0) {
    return engine::full(prediction.context(), {prediction.shape().front()}, 0.0f, MemoryCategory::kActivation,
                        where);
  }
  return engine::l2_loss(prediction, label, where);
}

Result<Array> l2_loss_gradient(const Array& prediction, const Array& label, Where where) {
  if (Status sound = check_pair("l2_loss_gradient", prediction, label); !sound.ok()) return sound.error();
  return engine::l2_loss_gradient(prediction, label, where);
}

Status sgd_update(const Array& parameter, const Array& gradient, float rate, std::int64_t batch,
                  Where where) {
  const char* const name = "sgd_update";
  if (Status sound = check_pair(name, parameter, gradient); !sound.ok()) return sound;
  if (batch < 1) return error_of(name, "the batch has " + std::to_string(batch) + " items");
  engine::sgd_update(parameter, gradient, rate, batch, where);
  return Ok{};
}

}  // namespace runahead::engine::checked
