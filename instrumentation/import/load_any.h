// Opens any trace that this program can read, whichever program wrote it.
#pragma once

#include <filesystem>
#include <span>

#include "instrumentation/base/result.h"
#include "instrumentation/import/common/importer.h"
#include "instrumentation/recording/recording.h"
#include "instrumentation/trace/trace.h"

namespace runahead::importers {

// Returns all importers, in the order in which they examine a file.
[[nodiscard]] std::span<const Importer* const> importers();

// Opens a trace with the first importer that recognises its content; the name does not matter. `options`
// apply to recordings. metadata()["format"] names the format. Errors: missing file, a directory, empty,
// unknown format, nothing in it that can be shown, cancelled by `progress`.
Result<Trace> load_any(const std::filesystem::path& path, const recordings::Progress& progress = {},
                       const recordings::OpenOptions& options = {});
// Works like load_any(), but checks every block of a recording before it returns. Callers use it if they read
// the whole trace anyway.
inline Result<Trace> load_checked(const std::filesystem::path& path,
                                  const recordings::Progress& progress = {}) {
  return load_any(path, progress, recordings::kCheckedWhole);
}

}  // namespace runahead::importers
