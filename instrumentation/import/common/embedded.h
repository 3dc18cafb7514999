// The recording that one of our exports carries behind its events (embedded_recording.h), read instead of
// them. It is taken only where it is whole and the file before it is as it was written, byte by byte: else
// the events are what the file says, and the importer counts LossCause::kImportStale. Any bytes may come.
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

// More would not fit in memory beside its trace.
inline constexpr std::uint64_t kMostEmbeddedBytes = std::uint64_t{4} << 30;

// nullopt: none that can be taken. Errors: cancelled. Reads a file of ours once, of others its first bytes.
// Memory: the recording's bytes and the trace.
[[nodiscard]] Result<std::optional<Trace>> embedded_in_json(files::ByteSource& source,
                                                            const recordings::Progress& progress);
// As embedded_in_json(), of packets that are not compressed as a whole.
[[nodiscard]] Result<std::optional<Trace>> embedded_in_perfetto(files::ByteSource& source,
                                                                const recordings::Progress& progress);

// The trace of a recording's bytes, which is said to come of a file of `format`. nullopt where they are not
// a whole one.
[[nodiscard]] std::optional<Trace> embedded_trace(std::string_view bytes, std::string format);

}  // namespace runahead::importers
