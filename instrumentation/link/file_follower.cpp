#include "instrumentation/link/file_follower.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace runahead::link {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
constexpr std::size_t kFirstBytes = std::size_t{64} << 10;  // read by open()

// True if another open file holds the writer's lock. The lock that succeeds here is released at once.
bool is_locked(int fd) {
  if (::flock(fd, LOCK_SH | LOCK_NB) != 0) return errno == EWOULDBLOCK;
  static_cast<void>(::flock(fd, LOCK_UN));
  return false;
}

std::uint64_t size_of(int fd) {
  struct stat facts {};
  return ::fstat(fd, &facts) == 0 ? static_cast<std::uint64_t>(facts.st_size) : 0;
}

}  // namespace

bool is_being_written(const FileDescriptor& recording) {
  return recording.valid() && is_locked(recording.get());
}

bool is_being_written(const std::filesystem::path& path) {
  const FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  return is_being_written(fd);
}

Result<std::unique_ptr<FileFollower>> FileFollower::open(const std::filesystem::path& path,
                                                         const LinkLimits& limits, Hooks hooks) {
  Result<OpenFile> file = open_regular_file("recording", path);
  if (!file) return file.error();
  return open(std::move(file->fd), path, limits, std::move(hooks));
}

Result<std::unique_ptr<FileFollower>> FileFollower::open(FileDescriptor fd, const std::filesystem::path& path,
                                                         const LinkLimits& limits, Hooks hooks) {
  std::unique_ptr<FileFollower> follower(new FileFollower(std::move(fd), path, limits, std::move(hooks)));
  if (const Result<bool> first = follower->poll(kFirstBytes); !first) return first.error();
  return follower;
}

Result<bool> FileFollower::poll(std::size_t most_bytes) {
  if (ended_) return false;
  // The order matters: what a writer adds before it releases the lock is in the size that is read afterwards.
  const bool written_on = writer_lives_ ? writer_lives_() : is_locked(fd_.get());
  const std::uint64_t size = size_of(fd_.get());
  const std::uint64_t commits = reader_.commits();
  // A writer that fails in the middle of a block cuts this block off.
  if (!reader_.give_back_to(size))
    return file_error("recording", path_, "was truncated while it was followed");
  std::uint64_t left = std::min<std::uint64_t>(most_bytes, size - reader_.position());
  while (left > 0) {
    piece_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kPieceBytes, left)));
    const ssize_t got =
        ::pread(fd_.get(), piece_.data(), piece_.size(), static_cast<off_t>(reader_.position()));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return file_error("recording", path_, "cannot be read: " + system_error_text(errno));
    if (got == 0) break;
    left -= static_cast<std::uint64_t>(got);
    if (const Status status = reader_.add({piece_.data(), static_cast<std::size_t>(got)}); !status)
      return status.error();
  }
  behind_bytes_ = size - reader_.position();
  // A forked child of the writer may still hold the lock. The footer says that the recording is complete.
  if ((written_on && !reader_.ended()) || behind_bytes_ > 0) return reader_.commits() != commits;
  reader_.finish();
  ended_ = true;
  return true;
}

}  // namespace runahead::link
