#include "instrumentation/recording/block_scanner.h"

#include <algorithm>

namespace runahead::recordings {
namespace {

// The search looks at this many bytes at a time. A FileSource reads much more at once. Therefore a search
// that starts again after each candidate does not read the same bytes of the file twice.
constexpr std::size_t kSearchBytes = 4096;

}  // namespace

std::optional<BlockHeader> BlockScanner::header_at(std::uint64_t offset) {
  const std::string_view head = source_.view(offset, kBlockHeaderBytes);
  if (head.size() < kBlockHeaderBytes) return {};
  const std::optional<BlockHeader> header = parse_possible_header(head);
  if (!header) return {};
  return header->stored_bytes <= source_.size() - offset - kBlockHeaderBytes ? header : std::nullopt;
}

std::optional<ScannedBlock> BlockScanner::whole_block(std::uint64_t offset) {
  const std::optional<BlockHeader> header = header_at(offset);
  if (!header) return {};
  const std::size_t whole = kBlockHeaderBytes + header->stored_bytes;
  const std::string_view block = source_.view(offset, whole);
  if (block.size() < whole) return {};
  const std::string_view stored = block.substr(kBlockHeaderBytes);
  if (!block_hash_holds(block.substr(0, kBlockHeaderBytes), *header, stored)) {
    hashed_in_vain_ += whole;
    return {};
  }
  return ScannedBlock{*header, stored, offset, offset + whole};
}

bool BlockScanner::block_behind_preamble() { return whole_block(kPreambleBytes).has_value(); }

std::uint64_t BlockScanner::next_magic(std::uint64_t from) {
  while (from < source_.size()) {
    const std::string_view bytes = source_.view(from, kSearchBytes);
    const std::size_t found = bytes.find(kBlockMagicBytes);
    if (found != std::string_view::npos) return from + found;
    if (bytes.size() < kBlockMagicBytes.size()) break;
    from += bytes.size() - (kBlockMagicBytes.size() - 1);  // the last 3 bytes may be the start of a magic
  }
  return source_.size();
}

std::optional<ScannedBlock> BlockScanner::search_from(std::uint64_t offset) {
  for (std::uint64_t at = next_magic(offset); at < source_.size(); at = next_magic(at + 1)) {
    gave_up_ = hashed_in_vain_ > most_hashed_in_vain(source_.size());
    if (gave_up_) return {};
    if (std::optional<ScannedBlock> block = whole_block(at)) return block;
  }
  return {};
}

bool BlockScanner::trailer_at_end() {
  return source_.view(source_.size() - kTrailerBytes, kTrailerBytes).ends_with(kEndMagic);
}

void BlockScanner::add_damage(std::uint64_t begin, std::uint64_t end) {
  if (begin == end) return;
  if (!damaged_.empty() && damaged_.back().end == begin) {
    damaged_.back().end = end;
  } else {
    damaged_.push_back({begin, end});
  }
}

// No whole (undamaged) block follows. The rest is the trailer, damaged bytes, or a block that its writer did
// not finish.
void BlockScanner::end_at(std::uint64_t offset) {
  const std::uint64_t rest = source_.size() - offset;
  const bool trailer = rest >= kTrailerBytes && trailer_at_end();
  ended_ = trailer || (rest == kTrailerBytes && last_is_footer_);
  if (ended_ || gave_up_ || header_at(offset)) {
    add_damage(offset, source_.size() - (trailer ? kTrailerBytes : 0));
  } else {
    cut_bytes_ = rest;
  }
}

std::optional<ScannedBlock> BlockScanner::next() {
  if (offset_ >= source_.size()) return {};
  std::optional<ScannedBlock> block = whole_block(offset_);
  const bool at_trailer = source_.size() - offset_ == kTrailerBytes;
  if (!block && !at_trailer) block = search_from(offset_ + 1);
  if (!block) {
    end_at(offset_);
    offset_ = source_.size();
    return {};
  }
  add_damage(offset_, block->offset);
  last_offset_ = block->offset;
  last_is_footer_ = block->header.kind == static_cast<std::uint8_t>(BlockKind::kFooter);
  offset_ = block->end;
  return block;
}

void BlockScanner::reject_last() {
  add_damage(last_offset_, offset_);
  last_is_footer_ = false;
}

std::uint64_t BlockScanner::damaged_bytes() const {
  std::uint64_t bytes = 0;
  for (const ByteRange& range : damaged_) bytes += range.end - range.begin;
  return bytes;
}

}  // namespace runahead::recordings
