#include "samples/median.h"

#include <algorithm>

#include "instrumentation/base/check.h"

namespace runahead::samples {

double median(std::vector<double> values) {
  RUNAHEAD_CHECK(!values.empty());
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace runahead::samples
