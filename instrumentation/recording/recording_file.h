// RecordingFile: reads blocks of a recording by offset; several threads may read at the same time. A block is
// read when it is needed and checked each time, because the file may have changed or shrunk since it was
// opened. The file is read and not mapped: a mapped file that shrinks kills the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "instrumentation/base/mutex.h"
#include "instrumentation/base/posix_file.h"
#include "instrumentation/base/result.h"
#include "instrumentation/recording/format/block.h"

namespace runahead::recordings {

// A source of bytes that are read by offset. May be used on any thread.
class FileBytes {
 public:
  virtual ~FileBytes() = default;
  [[nodiscard]] virtual std::uint64_t size() const = 0;  // size when the file was opened
  // Reads n bytes; fewer bytes at the end of the file or after a disk error.
  [[nodiscard]] virtual std::string read(std::uint64_t offset, std::size_t n) const = 0;
};
[[nodiscard]] Result<std::unique_ptr<FileBytes>> open_file_bytes(const std::filesystem::path& path);
[[nodiscard]] std::unique_ptr<FileBytes> memory_bytes(std::string bytes);
// The first `size` bytes of a file that is open for reading.
[[nodiscard]] std::unique_ptr<FileBytes> descriptor_bytes(FileDescriptor fd, std::uint64_t size);

// The reasons why a reader refuses a recording as a whole. `name`: the name of the file or of the peer.
// check_build(): this build cannot compute the checksums. check_version(): `version`, from the preamble, is
// not readable. lacks_zstd(): this build cannot decompress.
[[nodiscard]] Status check_build(const std::filesystem::path& name);
[[nodiscard]] Status check_version(std::uint32_t version, const std::filesystem::path& name);
[[nodiscard]] Error lacks_zstd(const std::filesystem::path& name);

struct WholeBlock {
  BlockKind kind{};
  std::string payload;    // decoded
  std::uint64_t end = 0;  // offset of the end of the block in the file
};
// The payload, if it has rows of this kind (original or repeated rows); otherwise empty.
[[nodiscard]] std::string rows_of(std::optional<WholeBlock> block, BlockKind kind);

class RecordingFile {
 public:
  explicit RecordingFile(std::unique_ptr<FileBytes> bytes) : bytes_(std::move(bytes)) {}

  [[nodiscard]] std::uint64_t size() const { return bytes_->size(); }
  // Says whether the first bytes are those of a recording that this version reads.
  [[nodiscard]] bool version_fits() const;
  // Offset of the last footer; nullopt: the writer did not finish.
  [[nodiscard]] std::optional<std::uint64_t> footer_offset() const;
  // nullopt: no undamaged block is at the offset.
  [[nodiscard]] std::optional<WholeBlock> block(std::uint64_t offset) const;

 private:
  [[nodiscard]] std::unique_ptr<BlockOpener> take_opener() const;

  const std::unique_ptr<FileBytes> bytes_;
  mutable Mutex mutex_;
  // Openers that are not in use now. They are kept, because making an opener costs more than opening a block.
  mutable std::vector<std::unique_ptr<BlockOpener>> openers_ RUNAHEAD_GUARDED_BY(mutex_);
};

}  // namespace runahead::recordings
