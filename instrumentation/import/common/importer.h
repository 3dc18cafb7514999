// An Importer is a file format that can be opened as a trace. instrumentation/import/load_any.cpp lists all
// importers.
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
  std::string_view bytes;  // the bytes of the file, not empty
  std::string_view plain;  // `bytes`, decompressed if they are gzip
};

struct Importer {
  std::string_view formats;  // the plural name of such files in messages: "Perfetto traces"
  // Says whether the file has this format, judged by the content. It may read more of `source`, but not all
  // of a large file.
  bool (*sniff)(const FileStart& start, files::ByteSource& source);
  // Reads the file. metadata()["format"] of the trace says which format the file had. An error names the file
  // and says why it cannot be opened and what to do. Damage is not an error: the trace has all undamaged
  // rows, and its losses() count the rest.
  Result<Trace> (*load)(const std::filesystem::path& path, files::ByteSource& source,
                        const recordings::Progress& progress, const recordings::OpenOptions& options);
  // True: a file that has events, but none that can be shown, is refused, because an empty timeline would
  // look as if nothing had happened.
  bool refuses_empty = true;
};

}  // namespace runahead::importers
