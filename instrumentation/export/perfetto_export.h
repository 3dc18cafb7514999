// Perfetto's own format out: a protobuf trace that ui.perfetto.dev and trace_processor read. Every slice,
// instant, sample and arrow; groups as parents, the order of tracks kept. Lanes that nest share a track;
// lanes that would overlap have tracks of their own, which viewers draw as one. Times are not rebased, except
// in a trace that begins before its own zero.
#pragma once

#include <filesystem>

#include "instrumentation/base/result.h"
#include "instrumentation/export/chrome_json.h"
#include "instrumentation/trace/trace.h"

namespace runahead::exporters {
using namespace trace;

// Writes `trace`; a name that ends in .gz is compressed. Through a temporary file renamed at the end: a
// failure leaves nothing behind. Slices still open are written as unfinished, to the watermark. Flows with an
// end that touches no slice are no arrows there: the difference to Trace::flow_count(). An error where this
// build has no protozero.
Result<ExportCounts> export_perfetto(const Trace& trace, const std::filesystem::path& path,
                                     const recordings::Progress& progress = {},
                                     const ExportOptions& options = {});

}  // namespace runahead::exporters
