// softmax and log_softmax along one axis. The largest element of a row is subtracted first, so that exp()
// does not overflow.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "engine/array/checked/arguments.h"

namespace runahead::engine::checked {
namespace {

constexpr record::Site kSoftmax = operator_site("softmax");
constexpr record::Site kLogSoftmax = operator_site("log_softmax");

constexpr double kSoftmaxFlops = 24;  // per element; exp() takes about 20 operations

enum class SoftmaxKind : bool { kPlain, kLogarithm };

// A row whose elements are adjacent.
void softmax_row(SoftmaxKind kind, const float* in, float* out, std::int64_t count) {
  const float largest = *std::max_element(in, in + count);
  double total = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    out[i] = std::exp(in[i] - largest);
    total += static_cast<double>(out[i]);
  }
  if (kind == SoftmaxKind::kPlain) {
    const float share = static_cast<float>(1 / total);
    for (std::int64_t i = 0; i < count; ++i) out[i] *= share;
  } else {
    const float logarithm = static_cast<float>(std::log(total));
    for (std::int64_t i = 0; i < count; ++i) out[i] = in[i] - largest - logarithm;
  }
}

// `width` rows side by side: element k of row i is in[k * width + i].
void softmax_block(SoftmaxKind kind, const float* in, float* out, std::int64_t count, std::int64_t width) {
  const auto rows = static_cast<std::size_t>(width);
  std::vector<float> largest(in, in + width);
  std::vector<double> total(rows, 0.0);
  for (std::int64_t k = 1; k < count; ++k) {
    const float* const x = in + k * width;
    for (std::size_t i = 0; i < rows; ++i) largest[i] = std::max(largest[i], x[i]);
  }
  for (std::int64_t k = 0; k < count; ++k) {
    const float* const x = in + k * width;
    float* const y = out + k * width;
    for (std::size_t i = 0; i < rows; ++i) {
      y[i] = std::exp(x[i] - largest[i]);
      total[i] += static_cast<double>(y[i]);
    }
  }
  std::vector<float> last(rows);  // the factor, or the logarithm of the total
  for (std::size_t i = 0; i < rows; ++i)
    last[i] = static_cast<float>(kind == SoftmaxKind::kPlain ? 1 / total[i] : std::log(total[i]));
  for (std::int64_t k = 0; k < count; ++k) {
    const float* const x = in + k * width;
    float* const y = out + k * width;
    for (std::size_t i = 0; i < rows; ++i)
      y[i] = kind == SoftmaxKind::kPlain ? y[i] * last[i] : x[i] - largest[i] - last[i];
  }
}

Result<Array> softmax_along(SoftmaxKind kind, const Array& a, std::int64_t axis, const Call& call) {
  if (Status sound = check_arrays(call.site.name, {&a}); !sound.ok()) return sound.error();
  if (Status sound = check_host_memory(call.site.name, a.context()); !sound.ok()) return sound.error();
  const Result<std::size_t> at = axis_of(call.site.name, a.shape(), axis);
  if (!at.ok()) return at.error();
  const double n = number_of(a.size());
  return enqueue_one(
      call, make_array(a.context(), a.shape(), MemoryCategory::kActivation),
      cost_of(kSoftmaxFlops * n, 2 * n),
      [kind, rows = around(a.shape(), *at)](Arithmetic&, const float* const* in, float* const* out) {
        const std::int64_t block = rows.extent * rows.inner;
        for (std::int64_t o = 0; o < rows.outer; ++o) {
          const float* const from = in[0] + o * block;
          float* const to = out[0] + o * block;
          rows.inner == 1 ? softmax_row(kind, from, to, rows.extent)
                          : softmax_block(kind, from, to, rows.extent, rows.inner);
        }
      },
      a);
}

}  // namespace

Result<Array> softmax(const Array& a, std::int64_t axis, Where where) {
  return softmax_along(SoftmaxKind::kPlain, a, axis, {kSoftmax, where});
}
Result<Array> log_softmax(const Array& a, std::int64_t axis, Where where) {
  return softmax_along(SoftmaxKind::kLogarithm, a, axis, {kLogSoftmax, where});
}

}  // namespace runahead::engine::checked
