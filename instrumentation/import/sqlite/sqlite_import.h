// Import of SQLite databases of profilers: exports of Nsight Systems, rocpd of ROCm's rocprofiler-sdk, and
// rocmProfileData's .rpd.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "instrumentation/base/result.h"
#include "instrumentation/recording/recording.h"
#include "instrumentation/trace/trace.h"

namespace runahead::importers {
using namespace trace;

// Opens a database, plain or gzip. Damage is not an error if its list of tables can be read: the trace has
// the rows before the damage, and losses() counts the rest. Errors: the file is cut off, is not a database of
// a profiler that can be opened, uses a write-ahead log, or this build has no SQLite; for gzip also: there is
// too little space for the decompressed file in the folder for temporary files. Memory: the trace, the ids of
// calls, and up to 24 bytes for each row.
Result<Trace> load_sqlite(const std::filesystem::path& path, const recordings::Progress& progress = {});
// Works like load_sqlite(), but reads the bytes of a plain file from memory. `name` is the file's name in
// messages.
Result<Trace> read_sqlite(std::string_view bytes, const std::string& name = "trace");

}  // namespace runahead::importers
