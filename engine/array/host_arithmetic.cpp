#include "engine/array/host_arithmetic.h"

#include <algorithm>
#include <vector>

#include "engine/array/array_random.h"
#include "engine/array/blas.h"

namespace runahead::engine {
namespace {

// Sums with four independent accumulators, so that an addition does not have to wait for the previous one.
// The accumulators are double, so that the sum of a million float32 values keeps float32 precision. The order
// of the additions is the same on all machines.
double total_of(const float* values, std::int64_t count) {
  double part[4] = {0, 0, 0, 0};
  std::int64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    for (std::int64_t lane = 0; lane < 4; ++lane) part[lane] += static_cast<double>(values[i + lane]);
  }
  for (; i < count; ++i) part[0] += static_cast<double>(values[i]);
  return (part[0] + part[1]) + (part[2] + part[3]);
}

template <typename Function>
void each(const float* a, float* out, std::int64_t count, Function function) {
  for (std::int64_t i = 0; i < count; ++i) out[i] = function(a[i]);
}

template <typename Function>
void each(const float* a, const float* b, float* out, std::int64_t count, Function function) {
  for (std::int64_t i = 0; i < count; ++i) out[i] = function(a[i], b[i]);
}

class HostArithmetic final : public Arithmetic {
 public:
  void fill(float* out, std::int64_t count, float value) override { std::fill_n(out, count, value); }
  void uniform(float* out, std::int64_t count, RandomKey key, float low, float high) override {
    fill_uniform(out, count, key, low, high);
  }
  void normal(float* out, std::int64_t count, RandomKey key, float mean, float deviation) override {
    fill_normal(out, count, key, mean, deviation);
  }

  void map(WithScalar what, const float* a, float s, float* out, std::int64_t count) override {
    switch (what) {
      case WithScalar::kAdd:
        return each(a, out, count, [s](float x) { return x + s; });
      case WithScalar::kSubtract:
        return each(a, out, count, [s](float x) { return x - s; });
      case WithScalar::kMultiply:
        return each(a, out, count, [s](float x) { return x * s; });
      case WithScalar::kDivide:
        return each(a, out, count, [s](float x) { return x / s; });
      case WithScalar::kRelu:
        return each(a, out, count, [](float x) { return x > 0.0f ? x : 0.0f; });
    }
  }
  void map(OfTwo what, const float* a, const float* b, float* out, std::int64_t count) override {
    switch (what) {
      case OfTwo::kAdd:
        return each(a, b, out, count, [](float x, float y) { return x + y; });
      case OfTwo::kSubtract:
        return each(a, b, out, count, [](float x, float y) { return x - y; });
      case OfTwo::kMultiply:
        return each(a, b, out, count, [](float x, float y) { return x * y; });
      case OfTwo::kDivide:
        return each(a, b, out, count, [](float x, float y) { return x / y; });
      case OfTwo::kReluGradient:
        return each(a, b, out, count, [](float g, float x) { return x > 0.0f ? g : 0.0f; });
    }
  }
  void subtract_scaled(float* from, const float* a, float factor, std::int64_t count) override {
    for (std::int64_t i = 0; i < count; ++i) from[i] -= factor * a[i];
  }

  void add_row(const float* a, const float* row, float* out, Extent extent) override {
    for (std::int64_t r = 0; r < extent.rows; ++r) {
      const std::int64_t begin = r * extent.columns;
      if (a == nullptr) {
        std::copy_n(row, extent.columns, out + begin);
      } else {
        each(a + begin, row, out + begin, extent.columns, [](float x, float y) { return x + y; });
      }
    }
  }
  void multiply(const MatrixProduct& product, const float* a, const float* b, float* c) override {
    multiply_matrices(product, a, b, c);
  }
  void total(const float* a, std::int64_t count, double divisor, float* out) override {
    out[0] = static_cast<float>(total_of(a, count) / divisor);
  }
  // Adds row by row, so that the memory is read in order.
  void sum_rows(const float* a, Extent extent, float* out) override {
    const auto columns = static_cast<std::size_t>(extent.columns);
    std::vector<double> totals(columns, 0.0);
    double* const total = totals.data();
    for (std::int64_t r = 0; r < extent.rows; ++r) {
      const float* const row = a + r * extent.columns;
      for (std::size_t c = 0; c < columns; ++c) total[c] += static_cast<double>(row[c]);
    }
    for (std::size_t c = 0; c < columns; ++c) out[c] = static_cast<float>(total[c]);
  }
  void half_squared_error(const float* a, const float* b, Extent extent, float* out) override {
    for (std::int64_t r = 0; r < extent.rows; ++r) {
      double total = 0;
      for (std::int64_t i = r * extent.columns; i < (r + 1) * extent.columns; ++i) {
        const double error = static_cast<double>(b[i]) - a[i];
        total += error * error;
      }
      out[r] = static_cast<float>(total / 2);
    }
  }

  void copy(const float* from, float* to, std::int64_t count, HostEnd, HostMemory) override {
    std::copy_n(from, count, to);
  }
  void call(UniqueFunction<void()> function) override { function(); }
};

}  // namespace

Arithmetic& host_arithmetic() {
  static HostArithmetic arithmetic;
  return arithmetic;
}

}  // namespace runahead::engine
