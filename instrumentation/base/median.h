// The median of measurements. All code that needs a median uses this function. Exception: the trace
// statistics, whose medians are percentiles by nearest rank (analysis/nearest_rank.h).
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "instrumentation/base/check.h"

namespace runahead {

// Returns the median. If the number of values is even, the median is the mean of the two middle values.
// O(n).
// REQUIRES: at least one value.
template <typename T = double>
[[nodiscard]] T median(std::vector<T> values) {
  RUNAHEAD_CHECK(!values.empty());
  const auto half = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), half, values.end());
  return values.size() % 2 == 1 ? *half : (*std::max_element(values.begin(), half) + *half) / 2;
}

}  // namespace runahead
