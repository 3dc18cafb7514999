// Everything a Trace holds, as values that can be compared and printed.
#pragma once

#include <string>

#include "instrumentation/trace/trace.h"

namespace runahead::testing {

// One line a fact: definitions, rows of every table, open lists, losses, watermark; text instead of ids for
// names and arguments. Metadata is left out.
[[nodiscard]] std::string rows_text(const trace::Trace& trace);

}  // namespace runahead::testing
