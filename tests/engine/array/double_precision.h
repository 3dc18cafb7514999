// Computes the operators' results in double precision for random inputs, and the error bounds of float32.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "tests/support/random.h"

namespace runahead::engine {

using Numbers = std::vector<float>;

// Inputs for all operators. Each operator uses the inputs that it needs.
struct Inputs {
  std::int64_t m, n, k;
  // Shape (m, n). Every seventh value of b is 0, where relu has its corner.
  Numbers a, b;
  Numbers divisor;  // shape (m, n), no value near 0
  Numbers row;      // shape (n)
  // The operands of a matrix product. The shape of left is (m, k), or (k, m) if left is transposed. The shape
  // of right_rows is (k, n), or (n, k) if right_rows is transposed.
  Numbers left, right_rows;
};

inline Inputs random_inputs(std::int64_t m, std::int64_t n, std::int64_t k,
                            runahead::testing::Random& random) {
  const auto numbers = [&](std::int64_t count, double low) {
    Numbers values;
    for (std::int64_t i = 0; i < count; ++i) values.push_back(static_cast<float>(random.real(low, 2)));
    return values;
  };
  Inputs in{.m = m,
            .n = n,
            .k = k,
            .a = numbers(m * n, -2),
            .b = numbers(m * n, -2),
            .divisor = numbers(m * n, 0.25),
            .row = numbers(n, -2),
            .left = numbers(m * k, -2),
            .right_rows = numbers(n * k, -2)};
  for (std::size_t i = 0; i < in.b.size(); i += 7) in.b[i] = 0;
  for (std::size_t i = 0; i < in.divisor.size(); i += 2) in.divisor[i] = -in.divisor[i];
  return in;
}

// ---- expected values and error bounds ---------------------------------------------------------------------

// Rounding to nearest causes a relative error of at most half of float32's epsilon. The bound is a little
// larger, because the reference is rounded too.
inline constexpr double kRounding = 0x1.0p-24 * 1.001, kDoubleRounding = 0x1.0p-53;

struct Near {
  double value, within;
};
using Expected = std::vector<Near>;

inline Near exact(double value) { return {value, 0}; }
inline Near rounded(double value) { return {value, kRounding * std::abs(value)}; }

// The expected value of a sum, and its error bound. The operator may add the terms in any order. in_double()
// is for an operator that adds in double and rounds once at the end. in_float() is for an operator that adds
// in float32.
struct Sum {
  double value = 0, magnitude = 0, terms = 0;
  void add(double term) {
    value += term;
    magnitude += std::abs(term);
    ++terms;
  }
  [[nodiscard]] Near in_double(double divisor = 1) const {
    return {value / divisor,
            (kRounding * std::abs(value) + 2 * terms * kDoubleRounding * magnitude) / divisor};
  }
  // Each term is a product, which was rounded once before the addition.
  [[nodiscard]] Near in_float() const { return {value, (terms + 1) * kRounding * magnitude}; }
};

template <typename Function>
Expected each(const Numbers& x, const Numbers& y, Function function) {
  Expected all;
  for (std::size_t i = 0; i < x.size(); ++i)
    all.push_back(function(static_cast<double>(x[i]), static_cast<double>(y[i])));
  return all;
}

inline Expected equal_to(const Numbers& values) {
  return each(values, values, [](double x, double) { return exact(x); });
}

inline Expected total(const Numbers& values, double divisor) {
  Sum sum;
  for (const float value : values) sum.add(static_cast<double>(value));
  return {sum.in_double(divisor)};
}

inline Expected down_each_column(const Inputs& in) {
  Expected all;
  for (std::int64_t c = 0; c < in.n; ++c) {
    Sum sum;
    for (std::int64_t r = 0; r < in.m; ++r)
      sum.add(static_cast<double>(in.a[static_cast<std::size_t>(r * in.n + c)]));
    all.push_back(sum.in_double());
  }
  return all;
}

inline Expected half_squared_errors(const Inputs& in) {
  Expected all;
  for (std::int64_t r = 0; r < in.m; ++r) {
    Sum sum;
    for (auto i = static_cast<std::size_t>(r * in.n); i < static_cast<std::size_t>((r + 1) * in.n); ++i) {
      const double error = static_cast<double>(in.b[i]) - static_cast<double>(in.a[i]);
      sum.add(error * error / 2);
    }
    all.push_back(sum.in_double());
  }
  return all;
}

inline Expected row_added(const Inputs& in) {
  Expected all;
  for (std::size_t i = 0; i < in.a.size(); ++i) {
    const float add = in.row[i % static_cast<std::size_t>(in.n)];
    all.push_back(rounded(static_cast<double>(in.a[i]) + static_cast<double>(add)));
  }
  return all;
}

// left x right, with `row` added to each row. left is read as (k, m) if `ta`, otherwise as (m, k). right is
// read as (n, k) if `tb`, otherwise as (k, n).
inline Expected product(const Inputs& in, bool ta, bool tb, const Numbers& row = {}) {
  Expected all;
  for (std::int64_t i = 0; i < in.m; ++i) {
    for (std::int64_t j = 0; j < in.n; ++j) {
      Sum sum;
      if (!row.empty()) sum.add(static_cast<double>(row[static_cast<std::size_t>(j)]));
      for (std::int64_t x = 0; x < in.k; ++x) {
        const auto l = static_cast<std::size_t>(ta ? x * in.m + i : i * in.k + x),
                   r = static_cast<std::size_t>(tb ? j * in.k + x : x * in.n + j);
        sum.add(static_cast<double>(in.left[l]) * static_cast<double>(in.right_rows[r]));
      }
      all.push_back(sum.in_float());
    }
  }
  return all;
}

}  // namespace runahead::engine
