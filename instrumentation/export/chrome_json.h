// Chrome trace JSON out, as chrome://tracing, Perfetto and Speedscope read it: complete events (X) in nesting
// order, counters (C), flows (s, f with bp "e"), instants (i), names and sort indices (M). Source of the
// rules: the Trace Event Format document and what Perfetto's trace_processor does with it. Times are
// microseconds with three decimals, rebased to the start of the trace; the epoch goes to metadata.
#pragma once

#include <filesystem>

#include "instrumentation/base/result.h"
#include "instrumentation/recording/recording.h"
#include "instrumentation/trace/trace.h"

namespace runahead::exporters {
using namespace trace;

// Rows that an export has as events, and those of the trace that its format has no place for: flows with an
// end at no slice, samples that are no number, and all operations, dependencies and holdings of memory.
struct ExportCounts {
  std::uint64_t slices = 0, instants = 0, counter_samples = 0, flows = 0;
  struct LeftOut {
    std::uint64_t instants = 0, counter_samples = 0, flows = 0, ops = 0, dependencies = 0, allocations = 0;
    friend bool operator==(const LeftOut&, const LeftOut&) = default;
  } left_out;
  bool carries_recording = false;  // which has what is left out
};
// By what `counts` says of the rows that were written.
[[nodiscard]] ExportCounts::LeftOut left_out_of(const Trace& trace, const ExportCounts& counts);

struct ExportOptions {
  // The trace itself behind its events, for who opens the export here: nothing of it is lost then
  // (embedded_recording.h). In a build that can write recordings.
  bool recording = true;
};
inline constexpr ExportOptions kEventsOnly{.recording = false};

// Writes `trace`; a name that ends in .gz is compressed. Through a temporary file renamed at the end: a
// failure leaves nothing behind. Slices still open are written as unfinished, to the watermark.
Result<ExportCounts> export_chrome_json(const Trace& trace, const std::filesystem::path& path,
                                        const recordings::Progress& progress = {},
                                        const ExportOptions& options = {});

}  // namespace runahead::exporters
