#include "instrumentation/recording/recording_file.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "instrumentation/base/mutex.h"
#include "instrumentation/recording/format/bytes.h"
#include "instrumentation/recording/recording.h"

namespace runahead::recordings {
using namespace trace;
namespace {

// A block of 8192 slices has 20 to 100 kB: for most blocks one read is enough.
constexpr std::size_t kFirstReadBytes = 64u << 10;

class DiskBytes final : public FileBytes {
 public:
  DiskBytes(FileDescriptor fd, std::uint64_t size) : fd_(std::move(fd)), size_(size) {}
  [[nodiscard]] std::uint64_t size() const override { return size_; }
  [[nodiscard]] std::string read(std::uint64_t offset, std::size_t n) const override {
    std::string bytes(n, '\0');
    std::size_t got = 0;
    while (got < n) {
      const ssize_t r = ::pread(fd_.get(), bytes.data() + got, n - got, static_cast<off_t>(offset + got));
      if (r < 0 && errno == EINTR) continue;
      if (r <= 0) break;
      got += static_cast<std::size_t>(r);
    }
    bytes.resize(got);
    return bytes;
  }

 private:
  const FileDescriptor fd_;
  const std::uint64_t size_;
};

class MemoryBytes final : public FileBytes {
 public:
  explicit MemoryBytes(std::string bytes) : bytes_(std::move(bytes)) {}
  [[nodiscard]] std::uint64_t size() const override { return bytes_.size(); }
  [[nodiscard]] std::string read(std::uint64_t offset, std::size_t n) const override {
    return offset > bytes_.size() ? std::string{} : bytes_.substr(static_cast<std::size_t>(offset), n);
  }

 private:
  const std::string bytes_;
};

}  // namespace

Result<std::unique_ptr<FileBytes>> open_file_bytes(const std::filesystem::path& path) {
  Result<OpenFile> file = open_regular_file("recording", path);
  if (!file) return file.error();
  return std::unique_ptr<FileBytes>(std::make_unique<DiskBytes>(std::move(file->fd), file->size));
}

std::unique_ptr<FileBytes> memory_bytes(std::string bytes) {
  return std::make_unique<MemoryBytes>(std::move(bytes));
}

std::unique_ptr<FileBytes> descriptor_bytes(FileDescriptor fd, std::uint64_t size) {
  return std::make_unique<DiskBytes>(std::move(fd), size);
}

Status check_build(const std::filesystem::path& name) {
  if (recordings_supported()) return Ok{};
  return file_error("recording", name, "cannot be read by this build; install libxxhash-dev and build again");
}

Status check_version(std::uint32_t version, const std::filesystem::path& name) {
  if (version == 0) return file_error("recording", name, "is damaged in its first bytes; it cannot be read");
  if (version <= kRecordingVersion) return Ok{};
  return file_error("recording", name,
                    "was written by a newer version of Runahead (format " + std::to_string(version) +
                        ", this one reads " + std::to_string(kRecordingVersion) +
                        "); update this one to open it");
}

Error lacks_zstd(const std::filesystem::path& name) {
  return file_error("recording", name,
                    "is compressed with zstd, which this build lacks; install libzstd-dev and build again");
}

std::string rows_of(std::optional<WholeBlock> block, BlockKind kind) {
  if (!block) return {};
  if (block->kind == kind) return std::move(block->payload);
  const bool again = block->kind == BlockKind::kRowsAgain && !block->payload.empty() &&
                     static_cast<BlockKind>(block->payload.front()) == kind;
  return again ? block->payload.substr(1) : std::string{};
}

bool RecordingFile::version_fits() const {
  const std::string preamble = bytes_->read(0, kPreambleBytes);
  return preamble.size() == kPreambleBytes && preamble_version(preamble) == kRecordingVersion;
}

std::optional<std::uint64_t> RecordingFile::footer_offset() const {
  if (size() < kPreambleBytes + kTrailerBytes) return std::nullopt;
  const std::string trailer = bytes_->read(size() - kTrailerBytes, kTrailerBytes);
  if (trailer.size() < kTrailerBytes || !trailer.ends_with(kEndMagic)) return std::nullopt;
  return ByteReader(trailer).u64();
}

std::unique_ptr<BlockOpener> RecordingFile::take_opener() const {
  const MutexLock lock(mutex_);
  if (openers_.empty()) return std::make_unique<BlockOpener>();
  std::unique_ptr<BlockOpener> opener = std::move(openers_.back());
  openers_.pop_back();
  return opener;
}

std::optional<WholeBlock> RecordingFile::block(std::uint64_t offset) const {
  if (offset < kPreambleBytes || offset > size() || size() - offset < kBlockHeaderBytes) return {};
  std::string bytes = bytes_->read(
      offset, static_cast<std::size_t>(std::min<std::uint64_t>(kFirstReadBytes, size() - offset)));
  if (bytes.size() < kBlockHeaderBytes) return {};
  const std::optional<BlockHeader> header = parse_possible_header(bytes);
  if (!header) return {};
  const std::size_t whole = kBlockHeaderBytes + header->stored_bytes;
  if (whole > size() - offset || !BlockOpener::can_decode(header->codec)) return {};
  if (bytes.size() < whole) bytes += bytes_->read(offset + bytes.size(), whole - bytes.size());
  if (bytes.size() < whole) return {};
  const std::string_view stored = std::string_view(bytes).substr(kBlockHeaderBytes, header->stored_bytes);
  if (!block_hash_holds(std::string_view(bytes).substr(0, kBlockHeaderBytes), *header, stored)) return {};
  std::unique_ptr<BlockOpener> opener = take_opener();
  const std::optional<std::string_view> payload = opener->open(*header, stored);
  std::optional<WholeBlock> out;
  if (payload) out = {static_cast<BlockKind>(header->kind), std::string(*payload), offset + whole};
  const MutexLock lock(mutex_);
  openers_.push_back(std::move(opener));
  return out;
}

}  // namespace runahead::recordings
