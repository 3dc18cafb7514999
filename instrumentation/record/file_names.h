// Names of the files that belong to one recording.
#pragma once

#include <filesystem>
#include <string_view>

namespace runahead::record {

// The word before the ending: "a.runahead" and "7" make "a.7.runahead"; "a" and "7" make "a.7".
[[nodiscard]] inline std::filesystem::path name_beside(const std::filesystem::path& path,
                                                       std::string_view word) {
  std::filesystem::path name = path.stem();
  name += ".";
  name += word;
  name += path.extension();
  return path.parent_path() / name;
}

}  // namespace runahead::record
