// Names of the files of a recording.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace runahead::record {

// Inserts the word before the extension: "a.runahead" and "7" give "a.7.runahead"; "a" and "7" give "a.7".
[[nodiscard]] std::filesystem::path name_beside(const std::filesystem::path& path, std::string_view word);

// The file of one part of a recording: "a.0007.runahead". REQUIRES: number > 0.
[[nodiscard]] std::filesystem::path part_name(const std::filesystem::path& path, int number);
// The existing part files, ordered by number.
[[nodiscard]] std::vector<std::filesystem::path> part_files(const std::filesystem::path& path);
// The largest number of an existing part file; 0: there is no part file.
[[nodiscard]] int last_part_number(const std::filesystem::path& path);

}  // namespace runahead::record
