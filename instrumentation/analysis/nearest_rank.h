// A percentile by nearest rank: the smallest value v such that at least `percent` % of the values are not
// larger than v.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "instrumentation/base/check.h"

namespace runahead::analysis {

// Reorders the values. REQUIRES: at least one value; percent in [0, 100].
template <typename T>
[[nodiscard]] T nearest_rank(std::vector<T>& values, double percent) {
  RUNAHEAD_CHECK(!values.empty());
  // The subtraction removes the rounding error of the product: 99.9 % of 1000 values must be rank 999, not
  // 1000.
  const double rank = std::ceil(percent / 100 * static_cast<double>(values.size()) - 1e-9);
  const std::size_t index = std::min(static_cast<std::size_t>(std::max(1.0, rank)), values.size()) - 1;
  const auto nth = values.begin() + static_cast<std::ptrdiff_t>(index);
  std::nth_element(values.begin(), nth, values.end());
  return *nth;
}

}  // namespace runahead::analysis
