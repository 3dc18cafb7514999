// Text and JSON for `runahead stats`: the peak of each device's memory, and the ops that held memory at the
// peak.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "instrumentation/trace/trace.h"

namespace runahead::gui {

// Returns {"device", "peak_bytes", "at_ns", "named_bytes", "lifetimes", "by_category", "holders"} for each
// device with a memory counter. The largest holders come first.
[[nodiscard]] nlohmann::ordered_json memory_json(const trace::Trace& trace, TimeRange range);
// Returns one line for each device: "virtual:0: peak 341 MB at 1.234567 s, held by dense (activations) 120
// MB, ..."; empty: no device has a memory counter.
[[nodiscard]] std::string memory_lines(const trace::Trace& trace, TimeRange range);

}  // namespace runahead::gui
