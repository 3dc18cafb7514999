// Writes a page part by part, and packs bytes as they stand in it: deflate without a header, then base64.
// Only in builds with the viewer and zlib.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "instrumentation/base/posix_file.h"
#include "instrumentation/base/result.h"
#include "instrumentation/files/byte_source.h"

namespace runahead::gui {

// A file that keeps its first error: writing goes on without effect. One thread.
class PageFile {
 public:
  // most_bytes: a larger file fails. 0: no limit. Messages call the file `shown`.
  PageFile(FileDescriptor fd, std::filesystem::path shown, std::uint64_t most_bytes)
      : fd_(std::move(fd)), shown_(std::move(shown)), most_bytes_(most_bytes) {}

  void write(std::string_view text);
  void fail(Error error) {
    if (status_) status_ = std::move(error);
  }
  [[nodiscard]] const Status& status() const { return status_; }
  [[nodiscard]] bool too_large() const { return too_large_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }  // written, or tried

 private:
  FileDescriptor fd_;
  std::filesystem::path shown_;
  std::uint64_t most_bytes_ = 0, bytes_ = 0;
  bool too_large_ = false;
  Status status_ = Ok{};
};

// Writes all bytes, packed or as they are. Stops at the first error of the page.
void pack_into(PageFile& page, files::ByteSource& bytes);
void copy_into(PageFile& page, files::ByteSource& bytes);

}  // namespace runahead::gui
