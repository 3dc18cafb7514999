// Recognises files of other profilers that cannot be opened, by their names. Says which profiler wrote such a
// file, and what the user can do instead.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace runahead::importers {

// The first bytes of a SQLite database.
inline constexpr std::string_view kSqliteMagic("SQLite format 3\0", 16);

// Returns text that completes a sentence which file_error() begins with the file's name. Reports of Nsight
// Systems are recognised by name, because their format is not published. load_sqlite()
// (sqlite/sqlite_import.h) says what a database is that cannot be opened. nullopt: the name is not
// recognised.
[[nodiscard]] std::optional<std::string> foreign_file(const std::filesystem::path& path);

}  // namespace runahead::importers
