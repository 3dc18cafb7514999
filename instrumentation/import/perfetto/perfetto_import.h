// Import of Perfetto traces: track events in their current form and in older forms (Chrome's legacy phases),
// kernel events (atrace, scheduling), counters and flows, including the clocks, defaults and interned names
// of the format. Packets that a timeline cannot show are counted by cause and kind; docs/import-perfetto.md
// lists them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "instrumentation/base/result.h"
#include "instrumentation/recording/recording.h"
#include "instrumentation/trace/trace.h"

namespace runahead::importers {
using namespace trace;

// True if a file with this start may be a Perfetto trace.
[[nodiscard]] bool looks_like_perfetto(std::string_view start);

// Opens a Perfetto trace, plain or gzip. A cut-off or damaged part is not an error: the trace has all
// undamaged rows, and losses() counts the rest. Time 0 is the time of the first event; the metadata
// "import.first_us" has the time of this event in the file. Exception: our own exports keep their times,
// kinds, units, metadata and losses. Errors: the file is missing or is a directory, it has no complete
// packet, or this build has no protozero (for gzip: no zlib). Memory: the events and the trace; for gzip also
// the decompressed bytes.
Result<Trace> load_perfetto(const std::filesystem::path& path, const recordings::Progress& progress = {});
// Works like load_perfetto(), but reads the file's bytes from memory. `name` is the file's name in messages.
Result<Trace> read_perfetto(std::span<const std::byte> bytes, const std::string& name = "trace");

}  // namespace runahead::importers
