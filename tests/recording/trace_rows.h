// Writes the complete content of a Trace as text, for comparisons.
#pragma once

#include <string>

#include "instrumentation/trace/trace.h"

namespace runahead::testing {

// One line per item: definitions, rows of every table, open ops and slices, losses, watermark. Names and
// arguments are text instead of ids. Metadata is omitted.
[[nodiscard]] std::string rows_text(const trace::Trace& trace);

}  // namespace runahead::testing
