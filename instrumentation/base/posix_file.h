// Files: a file descriptor with RAII, opening a regular file for reading, and safe writing of files that the
// user named. Every recording, export, picture, table, report and settings file is written by write_file() or
// through a TemporaryFile, so the same rules protect existing files. Any thread may call these functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "instrumentation/base/result.h"

namespace runahead {

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

// The text of an errno value, for a message.
[[nodiscard]] std::string system_error_text(int error);
// Makes the message of an error with a file: "recording '/tmp/x': why". Control characters in the file's name
// are written as escapes.
[[nodiscard]] Error file_error(std::string_view what, const std::filesystem::path& path,
                               std::string_view why);

// A regular file that is open for reading. `size` is the file's size when it was opened. `what`: the word for
// such a file in messages ("recording").
struct OpenFile {
  FileDescriptor fd;
  std::uint64_t size = 0;
};
[[nodiscard]] Result<OpenFile> open_regular_file(std::string_view what, const std::filesystem::path& path);

// Writes all of `bytes`. Returns the number of bytes written, and the errno if writing failed (0: no error).
struct WriteOutcome {
  std::size_t written = 0;
  int error = 0;
};
[[nodiscard]] WriteOutcome write_all(int fd, std::string_view bytes);

// The first bytes of this program's own files.
inline constexpr std::string_view kRecordingMagic = "RUNAHEAD";
inline constexpr std::string_view kGraphMagic = "RUNAGRPH";
inline constexpr std::string_view kReportMagic = "{\n \"about\": \"runahead's window\"";
inline constexpr std::string_view kPageMagic = "<!DOCTYPE html><!-- Runahead -->";

// The kind of file to be written. The kind decides which existing file may be replaced: an empty file, or a
// file of the same kind. The first bytes of the existing file show its kind. An existing table must also be
// named .csv or .tsv (.gz may follow). Settings may replace any text file, because the user does not choose
// their path.
enum class Destination {
  kRecording,
  kChromeJson,
  kPerfetto,
  kTable,
  kPicture,
  kReport,
  kSettings,
  kGraph,
  kPage
};
// Returns the decompressed start of a compressed file; empty if it cannot be decompressed. Without an Unpack
// function, the kind of a compressed file is unknown, so the file is not replaced.
using Unpack = std::function<std::string(std::string_view compressed)>;
// Checks that a file may be written at `path`. The folder of `path` must exist. These are refused: a
// directory, device, pipe or socket; an existing file that `destination` must not replace; a write-protected
// file. A symbolic link is judged by its target; a link without a target is refused.
[[nodiscard]] Status check_destination(Destination destination, const std::filesystem::path& path,
                                       const Unpack& unpack = {});

// Works like check_destination(). It also creates a temporary file next to `path`, to check that the folder
// can be written to. No file remains.
[[nodiscard]] Status check_writable(Destination destination, const std::filesystem::path& path);

// A file that is written next to `path` under a temporary name. commit() renames the file to `path`; without
// commit() the destructor removes the file. If `path` is a symbolic link, the link stays and its target is
// replaced. A replaced file's permissions are kept.
class TemporaryFile {
 public:
  [[nodiscard]] static Result<TemporaryFile> create(Destination destination,
                                                    const std::filesystem::path& path,
                                                    const Unpack& unpack = {});
  // Makes a file for the program's own use next to `path`, without check_destination(). Such a file is never
  // renamed to `path`.
  [[nodiscard]] static Result<TemporaryFile> beside(Destination destination,
                                                    const std::filesystem::path& path);
  TemporaryFile(TemporaryFile&& other) noexcept;
  TemporaryFile& operator=(TemporaryFile&&) = delete;
  ~TemporaryFile();

  [[nodiscard]] const std::filesystem::path& path() const { return temporary_; }
  // Returns the file descriptor, open for writing. Call this function only once, because the caller then owns
  // the descriptor.
  [[nodiscard]] FileDescriptor take_descriptor() { return std::move(fd_); }
  // Renames the file to its final path. An existing file there is replaced.
  [[nodiscard]] Status commit();

 private:
  TemporaryFile(std::filesystem::path final_path, std::filesystem::path temporary, FileDescriptor fd);
  std::filesystem::path final_, temporary_;  // temporary_ is empty when there is no file to remove
  FileDescriptor fd_;
};

// Writes a complete file. On success `path` contains all of `bytes`. On error an existing file is unchanged.
[[nodiscard]] Status write_file(Destination destination, const std::filesystem::path& path,
                                std::string_view bytes);

// True if both names lead to the same file.
[[nodiscard]] bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b);

}  // namespace runahead
