// Reads the recording that our exports embed behind their events (export/embedded_recording.h). The recording
// replaces the events. It is used only if it is whole and the bytes before it have the stated hash. Otherwise
// the importer reads the events and counts LossCause::kImportStale. The input may be any bytes.
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

// nullopt: there is no embedded recording that can be used. Errors: cancelled. Reads a file of ours once, and
// only the first bytes of other files. Memory: the recording's bytes and the trace.
[[nodiscard]] Result<std::optional<Trace>> embedded_in_json(files::ByteSource& source,
                                                            const recordings::Progress& progress);
// Works like embedded_in_json(), for Perfetto packets. The file must not be compressed as a whole.
[[nodiscard]] Result<std::optional<Trace>> embedded_in_perfetto(files::ByteSource& source,
                                                                const recordings::Progress& progress);

// The trace of a recording's bytes. Its metadata names `format` as the format of the file. nullopt: the bytes
// are not a whole recording.
[[nodiscard]] std::optional<Trace> embedded_trace(std::string_view bytes, std::string format);

}  // namespace runahead::importers
