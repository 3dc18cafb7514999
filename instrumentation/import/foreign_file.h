// Recognises files of other profilers that cannot be opened yet. Says which profiler wrote such a file, and
// what the user can do instead.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "instrumentation/files/byte_source.h"

namespace runahead::importers {

// The first bytes of a SQLite database.
inline constexpr std::string_view kSqliteMagic("SQLite format 3\0", 16);

// Says what a SQLite database is that cannot be opened. `schema` has the names of its tables. The text
// completes a sentence which file_error() begins with the file's name.
[[nodiscard]] std::string sqlite_sentence(std::string_view schema);

// Returns text that completes a sentence which file_error() begins with the file's name. Compressed SQLite
// databases are recognised by content; load_sqlite() (sqlite/sqlite_import.h) says what an uncompressed
// database is. Reports of Nsight Systems are recognised by name, because their format is not published.
// nullopt: the file is not recognised. Reads at most the first megabyte.
[[nodiscard]] std::optional<std::string> foreign_file(const std::filesystem::path& path,
                                                      files::ByteSource& source);

}  // namespace runahead::importers
