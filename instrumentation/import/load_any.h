// Opens any trace that this program can read. It does not matter which program wrote the trace.
#pragma once

#include <filesystem>
#include <span>

#include "instrumentation/base/result.h"
#include "instrumentation/import/common/importer.h"
#include "instrumentation/recording/recording.h"
#include "instrumentation/trace/trace.h"

namespace runahead::importers {

// Returns all importers, in the order in which they are tried on a file.
[[nodiscard]] std::span<const Importer* const> importers();

// Opens a trace with the first importer that recognises its content; the file's name does not matter.
// `options` apply only to recordings. metadata()["format"] names the format. Errors: a missing file, a
// directory, an empty file, an unknown format, a file with events of which none can be shown (unless it is a
// recording), cancelled by `progress`.
Result<Trace> load_any(const std::filesystem::path& path, const recordings::Progress& progress = {},
                       const recordings::OpenOptions& options = {});
// Ok if an importer recognises the file's content. The file may be damaged all the same. Reads little of it.
[[nodiscard]] Status check_openable(const std::filesystem::path& path);
// Works like load_any(), but checks every block of a recording before it returns. It is meant for callers
// that read the whole trace anyway.
inline Result<Trace> load_checked(const std::filesystem::path& path,
                                  const recordings::Progress& progress = {}) {
  return load_any(path, progress, recordings::kCheckedWhole);
}

}  // namespace runahead::importers
