// Arrays as text, as numpy prints float32 with its default options: the shortest digits that tell a value
// apart, at most 8 behind the point; columns aligned; lines of 75; of more than 1000 values three at each
// end. Internal to engine/array.
#pragma once

#include <span>
#include <string>

#include "engine/array/array.h"

namespace runahead::engine {

// Row-major `values` of `shape`. No newline at the end.
[[nodiscard]] std::string numpy_format(std::span<const float> values, const Shape& shape);

}  // namespace runahead::engine
