// Perfetto traces in a build without protozero: said, not done.
#include "instrumentation/base/posix_file.h"
#include "instrumentation/trace/io/perfetto.h"

namespace runahead::trace::io {

Result<ExportCounts> export_perfetto(const Trace&, const std::filesystem::path& path, const Progress&,
                                     const ExportOptions&) {
  return file_error("export", path,
                    "cannot be written by this build; install libprotozero-dev and build again, or export "
                    "Chrome JSON, which Perfetto reads too");
}

}  // namespace runahead::trace::io
