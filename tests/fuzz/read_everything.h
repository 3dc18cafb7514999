// Reads every row of a trace that was made from untrusted bytes.
#pragma once

#include <cstdint>

#include "instrumentation/trace/trace.h"

namespace runahead::testing {

// Reads every row and what it refers to. The compiler must not leave the reads out, so they are summed.
std::uint64_t read_everything(const trace::Trace& trace);

}  // namespace runahead::testing
