// ByteSource: the bytes of a file in memory or on disk, read through a window (the part that is in memory
// now).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "instrumentation/base/posix_file.h"
#include "instrumentation/base/result.h"

namespace runahead::files {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  [[nodiscard]] virtual std::uint64_t size() const = 0;
  // Bytes [offset, offset + n), valid until the next call. The view has fewer than `n` bytes only at the end
  // of the file (the file may have shrunk since it was opened) or after a disk error.
  [[nodiscard]] virtual std::string_view view(std::uint64_t offset, std::size_t n) = 0;
};

class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::string_view bytes) : bytes_(bytes) {}
  [[nodiscard]] std::uint64_t size() const override { return bytes_.size(); }
  [[nodiscard]] std::string_view view(std::uint64_t offset, std::size_t n) override {
    return offset > bytes_.size() ? std::string_view{} : bytes_.substr(static_cast<std::size_t>(offset), n);
  }

 private:
  std::string_view bytes_;
};

// A regular file. FileSource reads the size once, when it opens the file. So the end is fixed even if another
// program still writes to the file.
class FileSource final : public ByteSource {
 public:
  // `what`: the word for such a file in messages ("recording").
  [[nodiscard]] static Result<std::unique_ptr<FileSource>> open(std::string_view what,
                                                                const std::filesystem::path& path);
  [[nodiscard]] std::uint64_t size() const override { return size_; }
  [[nodiscard]] std::string_view view(std::uint64_t offset, std::size_t n) override;

 private:
  FileSource(FileDescriptor fd, std::uint64_t size) : fd_(std::move(fd)), size_(size) {}

  FileDescriptor fd_;
  std::uint64_t size_ = 0;
  std::uint64_t window_begin_ = 0;
  std::string window_;
};

}  // namespace runahead::files
