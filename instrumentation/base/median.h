// The median of measurements. The one place that takes it; percentiles by rank are statistics' own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "instrumentation/base/check.h"

namespace runahead {

// Of an even number of values the mean of the two in the middle. REQUIRES: at least one value.
template <typename T = double>
[[nodiscard]] T median(std::vector<T> values) {
  RUNAHEAD_CHECK(!values.empty());
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace runahead
