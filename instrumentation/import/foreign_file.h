// Recognises files of other profilers that cannot be opened yet. Says what they are and what to do instead.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "instrumentation/files/byte_source.h"

namespace runahead::importers {

// Returns the end of a sentence, for file_error(). SQLite databases (exports of Nsight Systems, ROCm's rocpd
// and .rpd, others) are recognised by content, also inside gzip. Reports of Nsight Systems are recognised by
// name, because their format is not published. nullopt: none of these. Reads at most the first megabyte.
[[nodiscard]] std::optional<std::string> foreign_file(const std::filesystem::path& path,
                                                      files::ByteSource& source);

}  // namespace runahead::importers
