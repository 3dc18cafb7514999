// Recognises files of other profilers that cannot be opened yet. Says which profiler wrote such a file, and
// what the user can do instead.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "instrumentation/files/byte_source.h"

namespace runahead::importers {

// Returns text that completes a sentence which file_error() begins with the file's name. SQLite databases
// (exports of Nsight Systems, ROCm's rocpd and .rpd, others) are recognised by content, also inside gzip.
// Reports of Nsight Systems are recognised by name, because their format is not published. nullopt: the file
// is not recognised. Reads at most the first megabyte.
[[nodiscard]] std::optional<std::string> foreign_file(const std::filesystem::path& path,
                                                      files::ByteSource& source);

}  // namespace runahead::importers
