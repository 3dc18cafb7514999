// Export to CSV: one row per slice (track, depth, begin_ns, duration_ns, name, kind, op, step, bytes, flags),
// RFC 4180.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "instrumentation/base/result.h"
#include "instrumentation/export/chrome_json.h"
#include "instrumentation/recording/recording.h"

namespace runahead::exporters {
using namespace trace;

// Appends one field. Quotes it if it contains a comma, a quote or a line break.
void append_csv_field(std::string& out, std::string_view text);

// Writes only slices.
Result<ExportCounts> export_csv(const Trace& trace, const std::filesystem::path& path,
                                const recordings::Progress& progress = {});

}  // namespace runahead::exporters
