// Export to Chrome trace JSON, for chrome://tracing, Perfetto and Speedscope: complete events (X) in nesting
// order, counters (C), flows (s, f with bp "e"), instants (i), names and sort indices (M). Source of the
// rules: the Trace Event Format document and the behaviour of Perfetto's trace_processor. Times are
// microseconds with three decimals, relative to the start of the trace. The start time itself is in otherData
// (times_rebased_by_ns).
#pragma once

#include <filesystem>

#include "instrumentation/base/result.h"
#include "instrumentation/recording/recording.h"
#include "instrumentation/trace/trace.h"

namespace runahead::exporters {
using namespace trace;

// The number of rows that an export contains as events, and (`left_out`) the number of rows that its format
// cannot represent. The omitted rows are flows that cannot be attached to slices, samples that are not
// numbers, and all operations, dependencies and allocations.
struct ExportCounts {
  std::uint64_t slices = 0, instants = 0, counter_samples = 0, flows = 0;
  struct LeftOut {
    std::uint64_t instants = 0, counter_samples = 0, flows = 0, ops = 0, dependencies = 0, allocations = 0;
    friend bool operator==(const LeftOut&, const LeftOut&) = default;
  } left_out;
  // true: the export has an embedded recording, which contains the omitted rows
  bool carries_recording = false;
};
// Computes how many rows were omitted: the rows of `trace` minus the written rows in `counts`.
[[nodiscard]] ExportCounts::LeftOut left_out_of(const Trace& trace, const ExportCounts& counts);

struct ExportOptions {
  // Embeds the recording of the trace after the events, so that nothing is lost when this program opens the
  // export (embedded_recording.h). Ignored in a build that cannot write recordings.
  bool recording = true;
};
inline constexpr ExportOptions kEventsOnly{.recording = false};

// Writes `trace`, compressed if the name ends in .gz. Writes a temporary file and renames it at the end, so a
// failure leaves nothing behind. Open slices (which have not ended) are written as unfinished. They end at
// the watermark, the time up to which the trace is complete.
Result<ExportCounts> export_chrome_json(const Trace& trace, const std::filesystem::path& path,
                                        const recordings::Progress& progress = {},
                                        const ExportOptions& options = {});

}  // namespace runahead::exporters
