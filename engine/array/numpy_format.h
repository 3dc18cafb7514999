// Formats arrays as numpy prints float32 with its default options: the shortest digits that identify a value,
// at most 8 digits after the point, aligned columns, lines of 75 characters. An array with more than 1000
// values shows only three values at each end of an axis. Internal to engine/array.
#pragma once

#include <span>
#include <string>

#include "engine/array/array.h"

namespace runahead::engine {

// values: the values of an array with this `shape`, row-major. The text has no newline at its end.
[[nodiscard]] std::string numpy_format(std::span<const float> values, const Shape& shape);

}  // namespace runahead::engine
