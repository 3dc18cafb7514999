// FileFollower: reads a recording while another program still writes it. Nothing in that program changes: its
// file is read from the disk cache.
//
// Method: the writer holds a lock (flock) on its file until it ends. While the lock is held, the file may
// grow. When the lock is free, the writer has finished or was killed, so the rest of the file is read once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "instrumentation/base/posix_file.h"
#include "instrumentation/base/result.h"
#include "instrumentation/link/stream_reader.h"

namespace runahead::link {

// True if a program is writing the recording now. False too if the file cannot be opened, or if its file
// system has no locks.
[[nodiscard]] bool is_being_written(const std::filesystem::path& path);
[[nodiscard]] bool is_being_written(const FileDescriptor& recording);  // open for reading

// Only one thread may use it at a time.
class FileFollower {
 public:
  // Functions of the one who follows. Both may be empty.
  struct Hooks {
    recordings::RecordingAssembler::SeeBatch see;  // gets the batches too, the first ones in open()
    // False: the writer has ended. It then takes the place of the lock, which some file systems do not have.
    std::function<bool()> writer_lives;
  };
  // Errors: missing file, a directory, no recording, a newer version.
  [[nodiscard]] static Result<std::unique_ptr<FileFollower>> open(const std::filesystem::path& path,
                                                                  const LinkLimits& limits = {},
                                                                  Hooks hooks = {});
  // Works like open(path), with the file that `fd` has open for reading. `path` is its name in messages.
  [[nodiscard]] static Result<std::unique_ptr<FileFollower>> open(FileDescriptor fd,
                                                                  const std::filesystem::path& path,
                                                                  const LinkLimits& limits = {},
                                                                  Hooks hooks = {});

  // Reads what the writer has added since the last call, at most `most_bytes`. Returns true if the trace has
  // new rows. After ended() it returns false.
  Result<bool> poll(std::size_t most_bytes = std::size_t{16} << 20);
  // True if the trace is final: the writer has finished or is gone, and everything is read.
  [[nodiscard]] bool ended() const { return ended_; }
  // Bytes that the writer has added and poll() has not read yet, as of the last poll().
  [[nodiscard]] std::uint64_t behind_bytes() const { return behind_bytes_; }

  [[nodiscard]] StreamReader& reader() { return reader_; }
  [[nodiscard]] const StreamReader& reader() const { return reader_; }

 private:
  FileFollower(FileDescriptor fd, const std::filesystem::path& path, const LinkLimits& limits, Hooks hooks)
      : fd_(std::move(fd)),
        path_(path),
        writer_lives_(std::move(hooks.writer_lives)),
        reader_(path.string(), limits, std::move(hooks.see)) {}

  FileDescriptor fd_;
  std::filesystem::path path_;
  std::function<bool()> writer_lives_;
  StreamReader reader_;
  std::string piece_;
  std::uint64_t behind_bytes_ = 0;
  bool ended_ = false;
};

}  // namespace runahead::link
