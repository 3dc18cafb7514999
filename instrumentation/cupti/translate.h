// From CUPTI's records to plain ones (records.h). Only the module includes this.
#pragma once

#include <cupti.h>

#include <cstdint>

#include "instrumentation/cupti/records.h"

namespace runahead::cupti {

// CUPTI sees our clock so much later, so that no time of its is near 0, which means "none" there.
inline constexpr std::int64_t kClockShiftNs = std::int64_t{1} << 50;

// False: of a kind that has no meaning here.
[[nodiscard]] bool translate(const CUpti_Activity& activity, Record& out);

}  // namespace runahead::cupti
