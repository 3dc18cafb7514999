// Perfetto export in a build without protozero: returns an error that says so.
#include "instrumentation/base/posix_file.h"
#include "instrumentation/export/perfetto_export.h"

namespace runahead::exporters {
using namespace trace;

Result<ExportCounts> export_perfetto(const Trace&, const std::filesystem::path& path,
                                     const recordings::Progress&, const ExportOptions&) {
  return file_error("export", path,
                    "cannot be written by this build; install libprotozero-dev and build again, or export "
                    "Chrome JSON, which Perfetto reads too");
}

}  // namespace runahead::exporters
