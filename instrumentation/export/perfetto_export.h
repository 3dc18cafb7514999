// Export to Perfetto's protobuf format, for ui.perfetto.dev and trace_processor. Contains every slice,
// instant and sample, and every arrow that can be attached to slices. Groups become parent tracks; the order
// of tracks is kept. Lanes whose slices nest share a track. Lanes that would overlap get separate tracks,
// which viewers draw as one track. Times are not shifted, except in a trace that begins before its time zero.
#pragma once

#include <filesystem>

#include "instrumentation/base/result.h"
#include "instrumentation/export/chrome_json.h"
#include "instrumentation/trace/trace.h"

namespace runahead::exporters {
using namespace trace;

// Writes `trace`, compressed if the name ends in .gz. Writes a temporary file and renames it at the end, so a
// failure leaves nothing behind. Open slices (which have not ended) are written as unfinished. They end at
// the watermark, the time up to which the trace is complete. Flows are omitted if an end of the flow touches
// no slice, or if the flow would go back in time. The number of omitted flows is Trace::flow_count() minus
// the exported flows. Error: this build has no protozero.
Result<ExportCounts> export_perfetto(const Trace& trace, const std::filesystem::path& path,
                                     const recordings::Progress& progress = {},
                                     const ExportOptions& options = {});

}  // namespace runahead::exporters
