// Decompresses a SQLite database that is in gzip, because SQLite reads only files.
#pragma once

#include <cstdint>
#include <filesystem>

#include "instrumentation/base/posix_file.h"
#include "instrumentation/base/result.h"
#include "instrumentation/files/byte_source.h"
#include "instrumentation/recording/recording.h"

namespace runahead::importers {

// A file in the folder for temporary files. The destructor removes its name; a program that has opened the
// file can still read it.
class UnpackedFile {
 public:
  // Decompresses `in`. The error completes a sentence that begins with the name of the file: there is too
  // little space (an eighth of the free space stays free), the data are damaged or cut off, or `progress`
  // cancelled.
  [[nodiscard]] static Result<UnpackedFile> create(files::ByteSource& in,
                                                   const recordings::Progress& progress);
  UnpackedFile(UnpackedFile&& other) noexcept;
  UnpackedFile& operator=(UnpackedFile&&) = delete;
  ~UnpackedFile();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  explicit UnpackedFile(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;  // empty: there is no file to remove
};

}  // namespace runahead::importers
