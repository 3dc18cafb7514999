// Dates and times as an import writes them into the metadata of a trace.
#pragma once

#include <cstdint>
#include <string>

#include "instrumentation/trace/trace.h"

namespace runahead::importers {

// True for the years 2001 to 2100. A time outside this range is treated as a time since the machine started,
// not as a date.
[[nodiscard]] bool is_date(std::int64_t epoch_ns);
// "2026-05-24T13:40:14Z". REQUIRES: is_date(epoch_ns).
[[nodiscard]] std::string iso8601(std::int64_t epoch_ns);
// If `epoch_ns` is a date: sets the date of time 0 of the trace. metadata()["started_at"] is iso8601(),
// ["started_ns"] the exact number of ns since 1970.
void set_start(std::int64_t epoch_ns, trace::Trace& trace);
// The time in microseconds, with three decimals: "-0.500".
[[nodiscard]] std::string microseconds_text(std::int64_t ns);

}  // namespace runahead::importers
