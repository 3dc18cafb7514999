// Opening any trace that can be read, whoever wrote it.
#pragma once

#include <filesystem>
#include <span>

#include "instrumentation/base/result.h"
#include "instrumentation/import/common/importer.h"
#include "instrumentation/recording/recording.h"
#include "instrumentation/trace/trace.h"

namespace runahead::importers {

// All importers, in the order in which they look at a file.
[[nodiscard]] std::span<const Importer* const> importers();

// Opens a trace by its content, not by its name, with the first importer that knows it. `options` are for
// recordings. metadata()["format"] says which format it was. Errors: missing, a directory, empty, of no known
// format, nothing in it that could be shown, cancelled by `progress`.
Result<Trace> load_any(const std::filesystem::path& path, const recordings::Progress& progress = {},
                       const recordings::OpenOptions& options = {});
// The same, and every block of a recording is checked before it returns: for callers that read the whole
// trace anyway.
inline Result<Trace> load_checked(const std::filesystem::path& path,
                                  const recordings::Progress& progress = {}) {
  return load_any(path, progress, recordings::kCheckedWhole);
}

}  // namespace runahead::importers
