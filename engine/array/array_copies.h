// Values from a device to the host, for the blockers. Internal to engine/array.
#pragma once

#include <vector>

#include "engine/array/array.h"
#include "instrumentation/record/hooks/site.h"

namespace runahead::engine {

// Waits for `array`, under the name of `wait`, and returns its values. From an accelerator the copy is an op
// on its stream to the host. The error: the failure that poisoned the array, or that its device holds no
// values.
[[nodiscard]] Result<std::vector<float>> read_to_host(const Array& array, const record::Site& wait);

}  // namespace runahead::engine
