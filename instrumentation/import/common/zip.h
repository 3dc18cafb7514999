// Zip: lists the files of a zip and where their bytes are. Reads the directory at the end of the zip. If
// there is no directory (because the zip was cut off, or written to a pipe), reads the header in front of
// each file. Without a directory, Zip finds all files up to the first file whose header states no size.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "instrumentation/files/byte_source.h"

namespace runahead::importers {

struct ZipFile {
  enum class Method : std::uint8_t { kStored, kDeflated, kOther };  // kOther includes encrypted files
  std::string name;
  Method method = Method::kOther;
  std::uint64_t begin = 0;  // offset of its bytes in the zip
  std::uint64_t size = 0;   // bytes in the zip; if the header states no size: all bytes to the end of the zip
};

[[nodiscard]] bool looks_like_zip(std::string_view start);
// Lists all files but not folders, in the order of the zip. The input may be any bytes. O(files).
[[nodiscard]] std::vector<ZipFile> files_of_zip(files::ByteSource& source);

}  // namespace runahead::importers
