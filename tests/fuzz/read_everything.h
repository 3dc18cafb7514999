// Reads every row of a trace that was made from untrusted bytes.
#pragma once

#include <cstdint>

#include "instrumentation/trace/trace.h"

namespace runahead::testing {

// Reads every row, with its names and arguments, and explains and replays one trace in eight. The values are
// summed, so that the compiler cannot remove the reads.
std::uint64_t read_everything(const trace::Trace& trace);

}  // namespace runahead::testing
