// Copies values from a device to the host, for the functions of Array that wait for values and return or
// print them (asnumpy, item, print), and for frontends in other languages.
#pragma once

#include <vector>

#include "engine/array/array.h"
#include "instrumentation/record/hooks/site.h"

namespace runahead::engine {

// Waits for `array` and returns its values. `wait` gives the name of the wait in the recording and in error
// messages. If the device is an accelerator (any device except the cpu), the copy is an op on the
// accelerator's stream for copies to the host. Error: an op that computes the array failed, or the device is
// timing-only and has no values.
[[nodiscard]] Result<std::vector<float>> read_to_host(const Array& array, const record::Site& wait);

}  // namespace runahead::engine
