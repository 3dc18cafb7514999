// Import of SQLite databases of profilers: today the exports of Nsight Systems.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "instrumentation/base/result.h"
#include "instrumentation/recording/recording.h"
#include "instrumentation/trace/trace.h"

namespace runahead::importers {
using namespace trace;

// Opens a database. Damage is not an error if its list of tables can be read: the trace has the rows before
// the damage, and losses() counts the rest. Errors: the file is cut off, is not a database of a profiler that
// can be opened, uses a write-ahead log, or this build has no SQLite. Memory: the trace, and the ids of
// calls. SQLite sorts large tables that are not in the order of time in temporary files.
Result<Trace> load_sqlite(const std::filesystem::path& path, const recordings::Progress& progress = {});
// Works like load_sqlite(), but reads the file's bytes from memory. `name` is the file's name in messages.
Result<Trace> read_sqlite(std::string_view bytes, const std::string& name = "trace");

}  // namespace runahead::importers
