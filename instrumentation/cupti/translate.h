// Translates CUPTI's records to plain records (records.h). Only the CUPTI module includes this header,
// because it needs CUPTI's headers.
#pragma once

#include <cupti.h>

#include <cstdint>

#include "instrumentation/cupti/records.h"

namespace runahead::cupti {

// The clock that we give to CUPTI is shifted by this amount, so that no time is near 0. In CUPTI, the time 0
// means "no time".
inline constexpr std::int64_t kClockShiftNs = std::int64_t{1} << 50;

// Returns false for a kind of record that the decoder does not use.
[[nodiscard]] bool translate(const CUpti_Activity& activity, Record& out);

}  // namespace runahead::cupti
