// Chrome trace JSON out, as chrome://tracing, Perfetto and Speedscope read it: complete events (X) in nesting
// order, counters (C), flows (s, f with bp "e"), instants (i), names and sort indices (M). Source of the
// rules: the Trace Event Format document and what Perfetto's trace_processor does with it. Times are
// microseconds with three decimals, rebased to the start of the trace; the epoch goes to metadata.
#pragma once

#include <filesystem>

#include "instrumentation/base/result.h"
#include "instrumentation/trace/io/recording.h"
#include "instrumentation/trace/trace.h"

namespace runahead::trace::io {

struct ExportCounts {
  std::uint64_t slices = 0, instants = 0, counter_samples = 0, flows = 0;
};

struct ExportOptions {
  // The trace itself behind its events, for who opens the export here: nothing of it is lost then
  // (carried_recording.h). In a build that can write recordings.
  bool recording = true;
};
inline constexpr ExportOptions kEventsOnly{.recording = false};

// Writes `trace`; a name that ends in .gz is compressed. Through a temporary file renamed at the end: a
// failure leaves nothing behind. Slices still open are written as unfinished, to the watermark.
Result<ExportCounts> export_chrome_json(const Trace& trace, const std::filesystem::path& path,
                                        const Progress& progress = {}, const ExportOptions& options = {});

}  // namespace runahead::trace::io
