// Perfetto's own traces in: track events of every age (native, and Chrome's legacy phases), the kernel's
// events (atrace, scheduling), counters, flows, with the clocks, defaults and interned names that packets
// build on. What has no place in a timeline here is counted by cause and kind; docs/import-perfetto.md says
// what that is.
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

// Whether a file that begins so may be a Perfetto trace.
[[nodiscard]] bool looks_like_perfetto(std::string_view start);

// Opens a Perfetto trace, plain or gzip. A cut-off or damaged part is not an error: what is whole is there,
// the rest is counted in losses(). Times begin at 0 with the first event (metadata "import.first_us"),
// except in our own exports, which come back with their times, kinds, units, metadata and losses. Errors:
// missing, a directory, not one whole packet, a build without protozero (or without zlib, for gzip).
// Memory: the events and the trace; of a gzip file, the plain bytes too.
Result<Trace> load_perfetto(const std::filesystem::path& path, const recordings::Progress& progress = {});
// The same from memory; `name` is what messages call it.
Result<Trace> read_perfetto(std::span<const std::byte> bytes, const std::string& name = "trace");

}  // namespace runahead::importers
