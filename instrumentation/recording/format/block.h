// Blocks: a recording consists of a preamble and blocks. A block is a header of 24 bytes and a payload. Each
// block can be checked and decoded alone; docs/recording-format.md has the layout. This file handles bytes,
// not rows.
// Method of BlockSealer: the payload is compressed with zstd level 1 if that saves space, then hashed
// together with the first 16 bytes of the block's header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "instrumentation/recording/format/bytes.h"

namespace runahead::recordings {

inline constexpr std::string_view kFileMagic = "RUNAHEAD";    // kRecordingMagic of base/posix_file.h
inline constexpr std::size_t kPreambleBytes = 16;             // magic, u32 version, u32 check
inline constexpr std::uint32_t kBlockMagic = 0x4b4c4252;      // "RBLK"
inline constexpr std::string_view kBlockMagicBytes = "RBLK";  // kBlockMagic, as it is in a file
inline constexpr std::size_t kBlockHeaderBytes = 24;
inline constexpr std::string_view kEndMagic = "RUNAHEND";
inline constexpr std::size_t kTrailerBytes = 16;  // u64 offset of the footer, magic
// Larger blocks are refused: a reader never allocates more than this for one block. Writers aim at 64 KiB.
inline constexpr std::uint32_t kMaxBlockRawBytes = 32u << 20;

enum class BlockKind : std::uint8_t {
  kMetadata = 1,
  kStrings = 2,
  kTracks = 3,
  kArgs = 4,
  kSlices = 5,
  kCounters = 6,
  kInstants = 7,
  kOps = 8,
  kFlows = 9,
  kLosses = 10,
  kOpen = 11,
  kCommit = 12,
  kFooter = 13,
  kDependencies = 14,
  // The kinds kRowsAgain to kTableChunks allow opening a finished recording without reading all of it. A
  // reader that reads in order skips blocks of these kinds.
  kRowsAgain = 15,
  kDigest = 16,
  kChunks = 17,
  kOpening = 18,
  kTableChunks = 19,
  kAllocations = 20,
};
// True for a block that defines ids, which later blocks use.
[[nodiscard]] constexpr bool is_definition(BlockKind kind) {
  return kind == BlockKind::kStrings || kind == BlockKind::kTracks || kind == BlockKind::kArgs;
}
enum class Codec : std::uint8_t { kNone = 0, kZstd = 1 };

struct BlockHeader {
  std::uint8_t kind = 0;
  std::uint8_t codec = 0;
  std::uint32_t stored_bytes = 0;  // size of the payload as it is in the file
  std::uint32_t raw_bytes = 0;     // size of the decoded payload
  std::uint64_t hash = 0;          // xxHash64 of the header's first 16 bytes and the stored payload
};

// True if this build can compute the checksum. Otherwise recordings are neither written nor read.
[[nodiscard]] bool recordings_supported();

// The first 16 bytes of a file. Their layout is the same in every version.
[[nodiscard]] std::string make_preamble(std::uint32_t version);
// The version in the preamble; nullopt: the preamble is damaged. REQUIRES: kPreambleBytes bytes.
[[nodiscard]] std::optional<std::uint32_t> preamble_version(std::string_view preamble);

// Parses a block's header; nullopt: no block begins here. REQUIRES: kBlockHeaderBytes bytes. The hash is not
// checked.
[[nodiscard]] std::optional<BlockHeader> parse_block_header(std::string_view bytes);
// Works like parse_block_header(), but returns nullopt also if no block can have the lengths in the header.
[[nodiscard]] std::optional<BlockHeader> parse_possible_header(std::string_view bytes);
[[nodiscard]] bool block_hash_holds(std::string_view header_bytes, const BlockHeader& header,
                                    std::string_view stored);

// Limits the decoded size of a file: the decoded payloads of all blocks that end at or before `end_offset`
// have at most this many bytes in total. Writers never exceed the limit: a payload that would exceed it is
// stored uncompressed (codec 0), which always fits. Therefore a reader may refuse a file that exceeds the
// limit, such as a small file that would fill the memory.
[[nodiscard]] constexpr std::uint64_t raw_bytes_allowed(std::uint64_t end_offset) {
  return (std::uint64_t{16} << 20) + 64 * end_offset;
}

// Makes blocks. Not thread-safe; reuses its compression context.
class BlockSealer {
 public:
  BlockSealer();
  ~BlockSealer();
  // Appends the block to `out`, which will be written at `out_offset` of the file. REQUIRES: the payload has
  // at most kMaxBlockRawBytes.
  void seal(BlockKind kind, const Payload& payload, std::uint64_t out_offset, std::string& out);
  // The total size of all payloads so far, uncompressed. If sealed blocks are discarded, call set_raw_total()
  // with the total from before these blocks.
  [[nodiscard]] std::uint64_t raw_total() const { return raw_total_; }
  void set_raw_total(std::uint64_t total) { raw_total_ = total; }
  void set_compression(bool on) { compression_ = on; }  // on by default

 private:
  struct Context;
  std::unique_ptr<Context> context_;
  std::uint64_t raw_total_ = 0;
  bool compression_ = true;
};

// Decodes payloads. Not thread-safe; reuses its context.
class BlockOpener {
 public:
  BlockOpener();
  ~BlockOpener();
  // False: this build does not have the codec.
  [[nodiscard]] static bool can_decode(std::uint8_t codec);
  // The decoded payload; nullopt: the payload is damaged. The result is valid until the next call, and only
  // as long as the bytes of `stored` are valid.
  [[nodiscard]] std::optional<std::string_view> open(const BlockHeader& header, std::string_view stored);

 private:
  struct Context;
  std::unique_ptr<Context> context_;
  std::string raw_;
};

}  // namespace runahead::recordings
