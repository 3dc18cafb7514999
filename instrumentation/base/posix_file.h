// Files: a descriptor that closes itself, reading a regular file, and the one way in which this program
// writes a file of a person's choice. Every recording, export, picture, table, report and settings file is
// written by write_file() or through a TemporaryFile, so the same rules protect what is there. Any thread.
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

// What errno says, as a person reads it.
[[nodiscard]] std::string system_error_text(int error);
// "recording '/tmp/x': why": the start of every message here. The name is visible text.
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

// How this program's own files begin.
inline constexpr std::string_view kRecordingMagic = "RUNAHEAD";
inline constexpr std::string_view kGraphMagic = "RUNAGRPH";
inline constexpr std::string_view kReportMagic = "{\n \"about\": \"runahead's window\"";

// What is to be written. It decides which existing file may be replaced: an empty one, and one of its own
// kind, told by how it begins (a table also by its name: .csv or .tsv, compressed too). Settings, whose place
// no person chooses, replace any text.
enum class Destination { kRecording, kChromeJson, kPerfetto, kTable, kPicture, kReport, kSettings, kGraph };
// The start of a compressed file, decompressed; empty where it cannot be. Without one a compressed file is of
// no known kind, and so is not replaced.
using Unpack = std::function<std::string(std::string_view compressed)>;
// Whether a file may be put at `path`. Its folder must exist. A directory, device, pipe or socket is refused,
// and so is an existing file that `destination` must not replace, or that is write-protected. A symbolic link
// is judged by what it leads to; one that leads nowhere is refused.
[[nodiscard]] Status check_destination(Destination destination, const std::filesystem::path& path,
                                       const Unpack& unpack = {});

// The same, and a temporary file can be made beside `path`: the folder can be written to. Leaves nothing.
[[nodiscard]] Status check_writable(Destination destination, const std::filesystem::path& path);

// A file being written beside `path`, under a name of its own. commit() puts it in place; without that
// nothing is left. A symbolic link stays: the file that it leads to is replaced. The permissions of the
// file that is replaced stay too.
class TemporaryFile {
 public:
  [[nodiscard]] static Result<TemporaryFile> create(Destination destination,
                                                    const std::filesystem::path& path,
                                                    const Unpack& unpack = {});
  // For a file of the program's own, which is not to be put in place: beside `path`, with no check of that.
  [[nodiscard]] static Result<TemporaryFile> beside(Destination destination,
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

// Writes a whole file: it is at `path` with all `bytes`, or an error says why and what was there is
// unchanged.
[[nodiscard]] Status write_file(Destination destination, const std::filesystem::path& path,
                                std::string_view bytes);

// The two names lead to one file.
[[nodiscard]] bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b);

}  // namespace runahead
