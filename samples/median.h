// The median of repeated measurements. Internal to samples.
#pragma once

#include <vector>

namespace runahead::samples {

// Of an even number of values the mean of the two in the middle. REQUIRES: at least one value.
[[nodiscard]] double median(std::vector<double> values);

}  // namespace runahead::samples
