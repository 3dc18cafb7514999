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

std::string_view what_of(Destination destination) {
  switch (destination) {
    case Destination::kRecording:
      return "recording";
    case Destination::kExport:
      return "export";
    case Destination::kPicture:
      return "picture";
    case Destination::kReport:
      return "report";
    case Destination::kSettings:
      return "settings";
    case Destination::kGraph:
      return "graph";
  }
  return "file";
}

constexpr std::string_view kPngMagic = "\x89PNG\r\n\x1a\n";

bool begins_with(const std::filesystem::path& path, std::string_view magic) {
  const FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  std::string start(magic.size(), '\0');
  return fd.valid() && ::read(fd.get(), start.data(), start.size()) == static_cast<ssize_t>(magic.size()) &&
         start == magic;
}

Status check_existing(Destination destination, const std::filesystem::path& path, const struct stat& facts) {
  const std::string_view what = what_of(destination);
  if (S_ISDIR(facts.st_mode)) return file_error(what, path, "is a directory; give the name of a file");
  if (!S_ISREG(facts.st_mode)) return file_error(what, path, "is not a regular file; give another name");
  if (facts.st_size == 0) return Ok{};
  if (destination == Destination::kRecording) {
    if (begins_with(path, kRecordingMagic)) return Ok{};
    return file_error(what, path, "exists and is not a recording; give another name, or delete it first");
  }
  if (begins_with(path, kRecordingMagic)) {
    const std::string article = destination == Destination::kExport ? "an " : "a ";
    return file_error(
        what, path,
        "is a recording; " + article + std::string(what) + " would overwrite it, give another name");
  }
  if (destination == Destination::kPicture && !begins_with(path, kPngMagic))
    return file_error(what, path, "exists and is not a PNG; give another name, or delete it first");
  return Ok{};
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
  // Not blocking: a pipe's other end may never come.
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

Status check_destination(Destination destination, const std::filesystem::path& path) {
  const std::string_view what = what_of(destination);
  if (path.empty()) return file_error(what, path, "has no name; give the name of a file");
  struct stat facts {};
  if (::stat(path.c_str(), &facts) == 0) return check_existing(destination, path, facts);
  if (errno != ENOENT && errno != ENOTDIR)
    return file_error(what, path, "cannot open: " + system_error_text(errno));
  if (path.filename().empty()) return file_error(what, path, "is a directory; give the name of a file");
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) {
    return file_error(what, path, "its folder does not exist; make it first, or give another name");
  }
  return Ok{};
}

Result<TemporaryFile> TemporaryFile::create(Destination destination, const std::filesystem::path& path) {
  if (Status status = check_destination(destination, path); !status) return status.error();
  // A link is followed, so that what it names is replaced and not the link.
  std::error_code not_there;
  std::filesystem::path final_path = std::filesystem::canonical(path, not_there);
  if (not_there) final_path = path;
  for (int attempt = 0; attempt < 100; ++attempt) {
    std::filesystem::path temporary = final_path;
    temporary += ".part" + std::to_string(::getpid()) + "-" + std::to_string(attempt);
    FileDescriptor fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (fd.valid()) return TemporaryFile(std::move(final_path), std::move(temporary), std::move(fd));
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
