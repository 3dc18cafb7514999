// Every row of a trace that came of doubtful bytes.
#pragma once

#include <cstdint>

#include "instrumentation/trace/trace.h"

namespace runahead::testing {

// Touches every row and what it refers to; the sum keeps the compiler from leaving it out.
std::uint64_t read_everything(const trace::Trace& trace);

}  // namespace runahead::testing
