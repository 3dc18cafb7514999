#include "gui/serve/block_stream.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <string_view>

#include "instrumentation/files/read_at.h"

namespace runahead::gui {
namespace {

using namespace recordings;

std::string bytes_at(const OpenFile& file, std::uint64_t offset, std::size_t size) {
  std::string bytes;
  files::read_at(file.fd.get(), offset, size, bytes);
  return bytes;
}

// Who reads a recording in order, as the viewer does, skips these.
bool is_index(std::uint8_t kind) {
  switch (static_cast<BlockKind>(kind)) {
    case BlockKind::kRowsAgain:
    case BlockKind::kDigest:
    case BlockKind::kChunks:
    case BlockKind::kOpening:
    case BlockKind::kTableChunks:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::filesystem::path BlockStream::path() const {
  return std::filesystem::path(kept_) += "-" + std::to_string(number_);
}

void BlockStream::drop() {
  out_ = FileDescriptor();
  if (number_ != 0) ::unlink(path().c_str());  // an answer that is being sent keeps its bytes
}

Status BlockStream::put(std::string_view text) {
  const WriteOutcome outcome = write_all(out_.get(), text);
  if (outcome.error != 0) return file_error("page", kept_, system_error_text(outcome.error));
  bytes_ += text.size();
  return Ok{};
}

Status BlockStream::begin(const OpenFile& file, std::uint64_t inode) {
  drop();
  ++number_;
  bytes_ = taken_ = 0;
  inode_ = inode;
  sealer_.set_compression(false);
  out_ = FileDescriptor(::open(path().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!out_.valid()) return file_error("page", kept_, system_error_text(errno));
  const std::string preamble = bytes_at(file, 0, kPreambleBytes);
  if (preamble.size() < kPreambleBytes || !preamble_version(preamble))
    return file_error("recording", recording_, "it does not begin as a recording");
  taken_ = kPreambleBytes;
  return put(preamble);
}

Status BlockStream::take_blocks(const OpenFile& file) {
  for (;;) {
    const std::string head = bytes_at(file, taken_, kBlockHeaderBytes);
    if (head.size() < kBlockHeaderBytes) return Ok{};  // the end, or a trailer
    const std::optional<BlockHeader> header = parse_possible_header(head);
    if (!header) return file_error("recording", recording_, "a block is damaged");
    const std::string stored = bytes_at(file, taken_ + kBlockHeaderBytes, header->stored_bytes);
    if (stored.size() < header->stored_bytes) return Ok{};  // it is being written
    const auto raw = block_hash_holds(head, *header, stored) ? opener_.open(*header, stored) : std::nullopt;
    if (!raw) return file_error("recording", recording_, "a block is damaged");
    taken_ += kBlockHeaderBytes + stored.size();
    if (is_index(header->kind)) continue;
    std::string block;
    sealer_.seal(static_cast<BlockKind>(header->kind), std::string(*raw), bytes_, block);
    if (Status written = put(block); !written) return written;
  }
}

Status BlockStream::grow() {
  const Result<OpenFile> file = open_regular_file("recording", recording_);
  if (!file) return file.error();
  struct stat found {};
  if (::fstat(file->fd.get(), &found) != 0)
    return file_error("recording", recording_, system_error_text(errno));
  if (number_ == 0 || inode_ != found.st_ino || file->size < taken_ || taken_ == 0) {
    if (Status begun = begin(*file, found.st_ino); !begun) {
      taken_ = 0;
      return begun;
    }
  }
  return take_blocks(*file);
}

}  // namespace runahead::gui
