// Reads the recording that our exports embed after their events (export/embedded_recording.h). The trace is
// then made from this recording and not from the events. The recording is used only if it is complete, and if
// the bytes before it have the hash that the export states. Otherwise the importer reads the events instead
// and counts LossCause::kImportStale. The input may be any bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "instrumentation/base/result.h"
#include "instrumentation/files/byte_source.h"
#include "instrumentation/recording/recording.h"
#include "instrumentation/trace/trace.h"

namespace runahead::importers {
using namespace trace;

// A larger recording would not fit in memory together with its trace.
inline constexpr std::uint64_t kMostEmbeddedBytes = std::uint64_t{4} << 30;

// Returns the trace of the embedded recording. nullopt: the file has no usable embedded recording. Error: the
// import was cancelled. Reads our own exports once, and only the first bytes of other files. Memory: the
// recording's bytes and the trace.
[[nodiscard]] Result<std::optional<Trace>> embedded_in_json(files::ByteSource& source,
                                                            const recordings::Progress& progress);
// Works like embedded_in_json(), but for Perfetto packets. The file must not be compressed as a whole.
[[nodiscard]] Result<std::optional<Trace>> embedded_in_perfetto(files::ByteSource& source,
                                                                const recordings::Progress& progress);

// Reads `bytes` as a complete recording and returns its trace. The argument `format` becomes
// metadata()["format"] of the trace (the format of the export). nullopt: the bytes are not a complete
// recording.
[[nodiscard]] std::optional<Trace> embedded_trace(std::string_view bytes, std::string format);

}  // namespace runahead::importers
