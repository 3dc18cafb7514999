// Files of other profilers that cannot be opened yet: what they are, and what to do, for a person.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "instrumentation/files/byte_source.h"

namespace runahead::importers {

// A sentence's end for file_error(). By content, through gzip: SQLite databases (Nsight Systems' exports,
// ROCm's rocpd and .rpd, others). By name: reports of Nsight Systems, whose format is not published. nullopt:
// none of these. Reads at most the first megabyte.
[[nodiscard]] std::optional<std::string> foreign_file(const std::filesystem::path& path,
                                                      files::ByteSource& source);

}  // namespace runahead::importers
