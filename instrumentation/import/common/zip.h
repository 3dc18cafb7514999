// Zip: the files of a zip and where their bytes are. By its directory, at the end; a zip that was cut off, or
// that a pipe wrote and that has none, by the headers before the files, as far as they tell sizes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "instrumentation/files/byte_source.h"

namespace runahead::importers {

struct ZipFile {
  enum class Method : std::uint8_t { kStored, kDeflated, kOther };  // kOther: also what is encrypted
  std::string name;
  Method method = Method::kOther;
  std::uint64_t begin = 0;  // of its bytes in the zip
  std::uint64_t size = 0;   // there; of a last file whose size nobody says: all that follows
};

[[nodiscard]] bool looks_like_zip(std::string_view start);
// Without folders, in the order of the zip. Any bytes may come. O(files).
[[nodiscard]] std::vector<ZipFile> files_of_zip(files::ByteSource& source);

}  // namespace runahead::importers
