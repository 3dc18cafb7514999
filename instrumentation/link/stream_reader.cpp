#include "instrumentation/link/stream_reader.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "instrumentation/base/posix_file.h"
#include "instrumentation/recording/block_scanner.h"
#include "instrumentation/recording/recording_file.h"

namespace runahead::link {

using recordings::BlockHeader;
using recordings::BlockKind;
using recordings::BlockOpener;
using recordings::kBlockHeaderBytes;
using recordings::kBlockMagicBytes;
using recordings::kEndMagic;
using recordings::kPreambleBytes;
using recordings::kTrailerBytes;

StreamReader::StreamReader(std::string name, const LinkLimits& limits,
                           recordings::RecordingAssembler::SeeBatch see)
    : name_(std::move(name)),
      limits_(limits),
      assembler_(recordings::RecordingAssembler::Mode::kFollow, std::move(see)) {}

Status StreamReader::add(std::string_view bytes) {
  if (error_) return *error_;
  drop(used_);
  buffer_ += bytes;
  if (!preamble_read_) {
    if (Status status = check_preamble(); !status) {
      error_ = status.error();
      return *error_;
    }
    if (!preamble_read_) return Ok{};
  }
  take_blocks();
  if (error_) return *error_;
  return Ok{};
}

Status StreamReader::check_preamble() {
  if (buffer_.size() < kPreambleBytes) return Ok{};
  if (Status status = recordings::check_build(name_); !status) return status;
  if (!buffer_.starts_with(recordings::kFileMagic))
    return file_error("recording", name_, "is not a recording (it does not begin with 'RUNAHEAD')");
  // A damaged preamble is refused like version 0.
  const std::uint32_t version =
      recordings::preamble_version(std::string_view(buffer_).substr(0, kPreambleBytes)).value_or(0);
  if (Status status = recordings::check_version(version, name_); !status) return status;
  preamble_read_ = true;
  used_ = kPreambleBytes;
  trace().set_metadata("format", "runahead " + std::to_string(version));
  trace().set_metadata("recording.ended", "no");
  return Ok{};
}

bool StreamReader::give_back_to(std::uint64_t size) {
  if (size < begin_ + used_) return false;
  if (size < position()) buffer_.resize(static_cast<std::size_t>(size - begin_));
  return true;
}

void StreamReader::drop(std::size_t n) {
  buffer_.erase(0, n);
  begin_ += n;
  used_ -= n;
}

void StreamReader::take_blocks() {
  while (!error_ && !ended_) {
    const Step step = take_block();
    if (step == Step::kNeedsMore) return;
    if (step == Step::kDamaged) skip_to_magic();
  }
}

StreamReader::Step StreamReader::take_block() {
  const std::string_view bytes = rest();
  if (last_is_footer_ && bytes.size() >= kTrailerBytes &&
      bytes.substr(0, kTrailerBytes).ends_with(kEndMagic)) {
    used_ += kTrailerBytes;
    ended_ = true;
    return Step::kTaken;
  }
  if (bytes.size() < kBlockHeaderBytes) return Step::kNeedsMore;
  const std::optional<BlockHeader> header = recordings::parse_possible_header(bytes);
  if (!header) return Step::kDamaged;
  const std::size_t whole = kBlockHeaderBytes + header->stored_bytes;
  if (bytes.size() < whole) return Step::kNeedsMore;
  const std::string_view stored = bytes.substr(kBlockHeaderBytes, header->stored_bytes);
  if (!recordings::block_hash_holds(bytes.substr(0, kBlockHeaderBytes), *header, stored))
    return Step::kDamaged;
  used_ += whole;
  last_is_footer_ = header->kind == static_cast<std::uint8_t>(BlockKind::kFooter);
  if (open_block(*header, stored) == Step::kDamaged) {
    damaged_bytes_ += whole;
    assembler_.expect_lost_definitions();
  }
  return Step::kTaken;
}

StreamReader::Step StreamReader::open_block(const BlockHeader& header, std::string_view stored) {
  const std::uint64_t end = begin_ + used_;
  if (raw_total_ + header.raw_bytes > recordings::raw_bytes_allowed(end)) return Step::kDamaged;
  raw_total_ += header.raw_bytes;
  const auto kind = static_cast<BlockKind>(header.kind);
  if (kind == BlockKind::kMetadata || recordings::is_definition(kind)) definition_bytes_ += header.raw_bytes;
  if (definition_bytes_ > limits_.definition_bytes) {
    error_ = file_error("recording", name_, "defines more names than the memory limit allows");
    return Step::kTaken;
  }
  if (!BlockOpener::can_decode(header.codec)) {
    if (header.codec == static_cast<std::uint8_t>(recordings::Codec::kZstd)) {
      error_ = recordings::lacks_zstd(name_);
      return Step::kTaken;
    }
    assembler_.add_unknown_block();
    return Step::kTaken;
  }
  const std::optional<std::string_view> payload = opener_.open(header, stored);
  if (!payload) return Step::kDamaged;
  if (damaged_bytes_ > 0) trace().add_loss(trace::LossCause::kFileDamaged, std::exchange(damaged_bytes_, 0));
  assembler_.add(kind, *payload, end);
  commits_ += kind == BlockKind::kCommit ? 1 : 0;
  return Step::kTaken;
}

// Skips at least one byte, up to the next bytes that may begin a block.
void StreamReader::skip_to_magic() {
  assembler_.expect_lost_definitions();
  last_is_footer_ = false;
  const std::string_view bytes = rest();
  std::size_t to = bytes.find(kBlockMagicBytes, 1);
  if (to == std::string_view::npos)
    to = std::max<std::size_t>(1, bytes.size() - (kBlockMagicBytes.size() - 1));
  damaged_bytes_ += to;
  used_ += to;
}

// True if a whole block begins at `at` of the bytes that are not decoded yet. Adds the hashed bytes to
// `hashed`.
bool StreamReader::whole_block_at(std::size_t at, std::uint64_t& hashed) const {
  const std::string_view bytes = rest().substr(at);
  if (bytes.size() < kBlockHeaderBytes) return false;
  const std::optional<BlockHeader> header = recordings::parse_possible_header(bytes);
  if (!header || header->stored_bytes > bytes.size() - kBlockHeaderBytes) return false;
  hashed += header->stored_bytes;
  return recordings::block_hash_holds(bytes.substr(0, kBlockHeaderBytes), *header,
                                      bytes.substr(kBlockHeaderBytes, header->stored_bytes));
}

// The first block of the rest is not whole. Returns true after it has skipped to a whole block behind it. The
// number of hashed bytes is bounded, because each forged header makes the reader hash up to 32 MiB.
bool StreamReader::skip_to_whole_block() {
  std::uint64_t hashed = 0;
  const std::uint64_t most = recordings::BlockScanner::most_hashed_in_vain(rest().size());
  for (std::size_t at = rest().find(kBlockMagicBytes, 1); at != std::string_view::npos && hashed <= most;
       at = rest().find(kBlockMagicBytes, at + 1)) {
    if (!whole_block_at(at, hashed)) continue;
    assembler_.expect_lost_definitions();
    damaged_bytes_ += at;
    used_ += at;
    return true;
  }
  return false;
}

void StreamReader::finish() {
  // If the length in a header is damaged, its block never comes, and whole blocks wait behind it.
  while (!error_ && !ended_ && skip_to_whole_block()) take_blocks();
  if (damaged_bytes_ > 0) trace().add_loss(trace::LossCause::kFileDamaged, std::exchange(damaged_bytes_, 0));
  if (!ended_ && preamble_read_ && !rest().empty())
    trace().add_loss(trace::LossCause::kFileTruncated, rest().size());
  assembler_.finish_following(ended_);
  trace().set_metadata("recording.ended", ended_ ? "yes" : "no");
}

}  // namespace runahead::link
