// Files as this layer opens and writes them: a descriptor that closes itself, and the checks whose messages
// are the same for recordings and exports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "instrumentation/base/result.h"

namespace runahead::trace::io {

class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    if (this != &other) {
      reset();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  ~FileDescriptor() { reset(); }

  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool valid() const { return fd_ >= 0; }
  int release() { return std::exchange(fd_, -1); }
  void reset();

 private:
  int fd_ = -1;
};

// What errno says, as a person reads it.
[[nodiscard]] std::string system_error_text(int error);
// "recording '/tmp/x': why": the start of every message here. Control characters of the name become '?'.
[[nodiscard]] Error file_error(std::string_view what, const std::filesystem::path& path,
                               std::string_view why);

// A regular file to read from, and its size at this moment. `what`: what messages call such a file
// ("recording").
struct OpenFile {
  FileDescriptor fd;
  std::uint64_t size = 0;
};
[[nodiscard]] Result<OpenFile> open_regular_file(std::string_view what, const std::filesystem::path& path);

// Writes all of `bytes`; returns how many went through, and the errno that stopped it (0: none).
struct WriteOutcome {
  std::size_t written = 0;
  int error = 0;
};
[[nodiscard]] WriteOutcome write_all(int fd, std::string_view bytes);

enum class Destination { kRecording, kExport };
// Whether a file may be put at `path`: its folder exists; it is not a directory or a device; an existing file
// is a recording (for kRecording), or not one (for kExport: an export must not eat a recording).
[[nodiscard]] Status check_destination(Destination destination, const std::filesystem::path& path);

// A file being written beside `path`, under a name of its own; nothing is left of it unless commit()
// succeeds.
class TemporaryFile {
 public:
  [[nodiscard]] static Result<TemporaryFile> create(Destination destination,
                                                    const std::filesystem::path& path);
  TemporaryFile(TemporaryFile&& other) noexcept;
  TemporaryFile& operator=(TemporaryFile&&) = delete;
  ~TemporaryFile();

  [[nodiscard]] const std::filesystem::path& path() const { return temporary_; }
  // The descriptor, open for writing, for one user.
  [[nodiscard]] FileDescriptor take_descriptor() { return std::move(fd_); }
  // Renames it into place, replacing what was there.
  [[nodiscard]] Status commit();

 private:
  TemporaryFile(std::filesystem::path final_path, std::filesystem::path temporary, FileDescriptor fd);
  std::filesystem::path final_, temporary_;  // temporary_ empty: nothing to remove
  FileDescriptor fd_;
};

}  // namespace runahead::trace::io
