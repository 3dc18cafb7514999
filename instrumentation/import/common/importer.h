// What an importer is: a format that can be opened as a trace. instrumentation/import/load_any.cpp lists
// them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>

#include "instrumentation/base/result.h"
#include "instrumentation/files/byte_source.h"
#include "instrumentation/recording/recording.h"
#include "instrumentation/trace/trace.h"

namespace runahead::importers {
using namespace trace;

inline constexpr std::size_t kSniffedBytes = 64;
// The first bytes of a file, at most kSniffedBytes.
struct FileStart {
  std::string_view bytes;  // as they are in the file; not empty
  std::string_view plain;  // the same without gzip around them
};

struct Importer {
  std::string_view formats;  // what a message calls them, in the plural: "Perfetto traces"
  // Whether the file is one of these, by its content. May read more of `source`, but not all of a large file.
  bool (*sniff)(const FileStart& start, files::ByteSource& source);
  // Reads the file. The trace's metadata()["format"] says what it was. An error names the file, and says why
  // and what to do. Damage is no error: what is whole is in the trace, the rest in its losses().
  Result<Trace> (*load)(const std::filesystem::path& path, files::ByteSource& source,
                        const recordings::Progress& progress, const recordings::OpenOptions& options);
  // Whether a file of which nothing can be shown is refused: an empty timeline would look as if nothing had
  // happened.
  bool refuses_empty = true;
};

}  // namespace runahead::importers
