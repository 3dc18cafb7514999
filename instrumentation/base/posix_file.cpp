#include "instrumentation/base/posix_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "instrumentation/base/visible_text.h"

namespace runahead {
namespace {

constexpr std::string_view kPngMagic = "\x89PNG\r\n\x1a\n", kGzipMagic = "\x1f\x8b";

// Words for messages. what: the file to be written ("export"). own_kind: the kind of existing file that may
// be replaced ("a Chrome trace").
struct Words {
  std::string_view what, own_kind;
};

Words words_of(Destination destination) {
  switch (destination) {
    case Destination::kRecording:
      return {"recording", "a recording"};
    case Destination::kChromeJson:
      return {"export", "a Chrome trace"};
    case Destination::kPerfetto:
      return {"export", "a Perfetto trace"};
    case Destination::kTable:
      return {"table", "a table"};
    case Destination::kPicture:
      return {"picture", "a PNG"};
    case Destination::kReport:
      return {"report", "a report"};
    case Destination::kSettings:
      return {"settings", "text"};
    case Destination::kGraph:
      return {"graph", "a graph"};
    case Destination::kPage:
      return {"page", "a page of Runahead"};
  }
  return {"file", "a file"};
}

std::string_view what_of(Destination destination) { return words_of(destination).what; }

bool is_text(std::string_view start) {
  return std::ranges::none_of(start, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 && c != '\n' && c != '\r' && c != '\t';
  });
}

bool is_json(std::string_view start) {
  const std::size_t first = start.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (start[first] == '{' || start[first] == '[');
}

// True for both forms of a Chrome trace: an object that contains an array of events, or only the array.
bool is_chrome_trace(std::string_view start) {
  if (!is_json(start)) return false;
  return start.find("\"traceEvents\"") != start.npos || start.find("\"ph\"") != start.npos;
}

// A Perfetto trace begins with a packet. A packet is the protobuf field 1, whose first byte is '\n'.
bool is_perfetto_trace(std::string_view start) { return start.starts_with('\n') && !is_text(start); }

bool is_table(const std::filesystem::path& path, std::string_view start) {
  const std::string end = (path.extension() == ".gz" ? path.stem() : path).extension().string();
  const std::string_view headings = start.substr(0, start.find('\n'));
  return (end == ".csv" || end == ".tsv") && is_text(start) && !is_json(start) &&
         headings.find_first_of(",\t") != headings.npos;
}

// `start`: the first bytes of the existing file, decompressed.
bool may_replace(Destination destination, const std::filesystem::path& path, std::string_view start) {
  switch (destination) {
    case Destination::kRecording:
      return start.starts_with(kRecordingMagic);
    case Destination::kChromeJson:
      return is_chrome_trace(start);
    case Destination::kPerfetto:
      return is_perfetto_trace(start);
    case Destination::kTable:
      return is_table(path, start);
    case Destination::kPicture:
      return start.starts_with(kPngMagic);
    case Destination::kReport:
      return start.starts_with(kReportMagic);
    case Destination::kSettings:
      return is_text(start) && !start.starts_with(kRecordingMagic);
    case Destination::kGraph:
      return start.starts_with(kGraphMagic);
    case Destination::kPage:
      return start.starts_with(kPageMagic);
  }
  return false;
}

// Returns the first bytes of the file; empty if the file cannot be read.
std::string first_bytes(const std::filesystem::path& path) {
  const FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  std::string start(std::size_t{64} << 10, '\0');
  const ssize_t n = fd.valid() ? ::read(fd.get(), start.data(), start.size()) : 0;
  start.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return start;
}

Status check_existing(Destination destination, const std::filesystem::path& path, const struct stat& facts,
                      const Unpack& unpack) {
  const auto [what, own_kind] = words_of(destination);
  if (S_ISDIR(facts.st_mode)) return file_error(what, path, "is a directory; give the name of a file");
  if (!S_ISREG(facts.st_mode)) return file_error(what, path, "is not a regular file; give another name");
  if (::access(path.c_str(), W_OK) != 0)
    return file_error(what, path, "is write-protected; give another name, or change its permissions");
  if (facts.st_size == 0) return Ok{};
  std::string start = first_bytes(path);
  if (start.starts_with(kGzipMagic) && unpack) start = unpack(start);
  if (!start.empty() && may_replace(destination, path, start)) return Ok{};
  if (start.starts_with(kRecordingMagic))
    return file_error(what, path, "is a recording, which is not overwritten; give another name");
  return file_error(what, path,
                    "exists and is not " + std::string(own_kind) + "; give another name, or delete it first");
}

}  // namespace

void FileDescriptor::reset() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

std::string system_error_text(int error) { return std::generic_category().message(error); }

Error file_error(std::string_view what, const std::filesystem::path& path, std::string_view why) {
  return Error{std::string(what) + " '" + visible_text(path.string()) + "': " + std::string(why)};
}

Result<OpenFile> open_regular_file(std::string_view what, const std::filesystem::path& path) {
  // O_NONBLOCK: opening a pipe would otherwise wait for its other end.
  FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd.valid()) {
    return file_error(what, path,
                      errno == ENOENT ? "does not exist" : "cannot open: " + system_error_text(errno));
  }
  struct stat facts {};
  if (::fstat(fd.get(), &facts) != 0)
    return file_error(what, path, "cannot open: " + system_error_text(errno));
  if (S_ISDIR(facts.st_mode)) return file_error(what, path, "is a directory; give the name of a file");
  if (!S_ISREG(facts.st_mode)) return file_error(what, path, "is not a regular file; copy it to one first");
  return OpenFile{std::move(fd), static_cast<std::uint64_t>(facts.st_size)};
}

WriteOutcome write_all(int fd, std::string_view bytes) {
  WriteOutcome outcome;
  while (outcome.written < bytes.size()) {
    const ssize_t n = ::write(fd, bytes.data() + outcome.written, bytes.size() - outcome.written);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      outcome.error = n < 0 ? errno : EIO;
      return outcome;
    }
    outcome.written += static_cast<std::size_t>(n);
  }
  return outcome;
}

Status check_destination(Destination destination, const std::filesystem::path& path, const Unpack& unpack) {
  const std::string_view what = what_of(destination);
  if (path.empty()) return file_error(what, path, "has no name; give the name of a file");
  struct stat facts {};
  if (::stat(path.c_str(), &facts) == 0) return check_existing(destination, path, facts, unpack);
  if (errno != ENOENT && errno != ENOTDIR)
    return file_error(what, path, "cannot open: " + system_error_text(errno));
  if (::lstat(path.c_str(), &facts) == 0)
    return file_error(what, path, "is a link to a file that does not exist; delete it, or give another name");
  if (path.filename().empty()) return file_error(what, path, "is a directory; give the name of a file");
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) {
    return file_error(what, path, "its folder does not exist; make it first, or give another name");
  }
  return Ok{};
}

Result<TemporaryFile> TemporaryFile::create(Destination destination, const std::filesystem::path& path,
                                            const Unpack& unpack) {
  if (Status status = check_destination(destination, path, unpack); !status) return status.error();
  return beside(destination, path);
}

Result<TemporaryFile> TemporaryFile::beside(Destination destination, const std::filesystem::path& path) {
  // If `path` is a symbolic link, replaces the target of the link and keeps the link.
  std::error_code not_there;
  std::filesystem::path final_path = std::filesystem::canonical(path, not_there);
  if (not_there) final_path = path;
  struct stat replaced {};
  const bool replaces = ::stat(final_path.c_str(), &replaced) == 0;
  for (int attempt = 0; attempt < 100; ++attempt) {
    std::filesystem::path temporary = final_path;
    temporary += ".part" + std::to_string(::getpid()) + "-" + std::to_string(attempt);
    FileDescriptor fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (fd.valid()) {
      // Keeps the permissions of the replaced file. A failure is ignored, because fchmod() always fails on a
      // file system without permissions.
      if (replaces) (void)::fchmod(fd.get(), replaced.st_mode & 07777);
      return TemporaryFile(std::move(final_path), std::move(temporary), std::move(fd));
    }
    if (errno != EEXIST) {
      return file_error(
          what_of(destination), path,
          "cannot write here: " + system_error_text(errno) + "; give a place that can be written");
    }
  }
  return file_error(what_of(destination), path, "cannot write here: too many unfinished files beside it");
}

TemporaryFile::TemporaryFile(std::filesystem::path final_path, std::filesystem::path temporary,
                             FileDescriptor fd)
    : final_(std::move(final_path)), temporary_(std::move(temporary)), fd_(std::move(fd)) {}

TemporaryFile::TemporaryFile(TemporaryFile&& other) noexcept
    : final_(std::move(other.final_)), temporary_(std::move(other.temporary_)), fd_(std::move(other.fd_)) {
  other.temporary_.clear();
}

TemporaryFile::~TemporaryFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Status TemporaryFile::commit() {
  if (::rename(temporary_.c_str(), final_.c_str()) != 0) {
    return file_error("file", final_, "cannot put it in place: " + system_error_text(errno));
  }
  temporary_.clear();
  return Ok{};
}

Status check_writable(Destination destination, const std::filesystem::path& path) {
  const Result<TemporaryFile> file = TemporaryFile::create(destination, path);
  if (!file) return file.error();
  return Ok{};
}

Status write_file(Destination destination, const std::filesystem::path& path, std::string_view bytes) {
  Result<TemporaryFile> file = TemporaryFile::create(destination, path);
  if (!file) return file.error();
  FileDescriptor fd = file->take_descriptor();
  int error = write_all(fd.get(), bytes).error;
  if (error == 0 && ::close(fd.release()) != 0) error = errno;
  if (error != 0) {
    return file_error(what_of(destination), path,
                      "cannot write: " + system_error_text(error) + "; choose another place");
  }
  return file->commit();
}

bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::error_code unknown;
  return std::filesystem::equivalent(a, b, unknown) && !unknown;
}

}  // namespace runahead
