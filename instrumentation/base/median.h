// The median of measurements. All code that needs a median uses this function. Exception: the trace
// statistics, whose medians are percentiles by nearest rank (analysis/nearest_rank.h).
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "instrumentation/base/check.h"

namespace runahead {

// Returns the median. If the number of values is even, the median is the mean of the two middle values.
// REQUIRES: at least one value.
template <typename T = double>
[[nodiscard]] T median(std::vector<T> values) {
  RUNAHEAD_CHECK(!values.empty());
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace runahead
