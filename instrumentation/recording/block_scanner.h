// BlockScanner: the whole blocks of a recording in the order of the file. Where a block is damaged it goes on
// at the next place at which a whole one stands, and says which bytes it passed over.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "instrumentation/files/byte_source.h"
#include "instrumentation/recording/format/block.h"

namespace runahead::recordings {

struct ByteRange {
  std::uint64_t begin = 0, end = 0;  // half-open
  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

struct ScannedBlock {
  BlockHeader header;
  std::string_view stored;  // its payload as it is in the file; valid until the scanner is used again
  std::uint64_t offset = 0, end = 0;
};

// A damaged length or a forged header may state up to 32 MiB that do not belong to it, and to find that out
// takes the hash of all of them. What is hashed for nothing is bounded (most_hashed_in_vain()): beyond that
// the rest of the file counts as damaged. So a scan takes time linear in the file's size, whatever is in it.
class BlockScanner {
 public:
  explicit BlockScanner(files::ByteSource& source) : source_(source) {}  // which must outlive this

  // The next whole block; nullopt: there is none behind.
  [[nodiscard]] std::optional<ScannedBlock> next();
  // A whole block right behind the preamble, which next() will return first.
  [[nodiscard]] bool block_behind_preamble();
  // Counts the block that next() returned last as damaged after all. REQUIRES: it returned one.
  void reject_last();

  // Passed over so far, in order and disjoint.
  [[nodiscard]] const std::vector<ByteRange>& damaged() const { return damaged_; }
  [[nodiscard]] std::uint64_t damaged_bytes() const;
  // Once next() has returned nullopt: the writer finished; else so many bytes follow, of a block that was cut
  // off.
  [[nodiscard]] bool ended() const { return ended_; }
  [[nodiscard]] std::uint64_t cut_bytes() const { return cut_bytes_; }

  [[nodiscard]] std::uint64_t hashed_in_vain() const { return hashed_in_vain_; }
  // 64 MiB allow two damaged lengths of 32 MiB in a small file. Eight bytes for each byte of the file allow
  // one more in every 4 MiB.
  [[nodiscard]] static constexpr std::uint64_t most_hashed_in_vain(std::uint64_t file_bytes) {
    return (std::uint64_t{64} << 20) + 8 * file_bytes;
  }

 private:
  [[nodiscard]] std::optional<ScannedBlock> whole_block(std::uint64_t offset);
  [[nodiscard]] std::optional<ScannedBlock> search_from(std::uint64_t offset);
  [[nodiscard]] std::uint64_t next_magic(std::uint64_t from);  // the file's size: there is none
  [[nodiscard]] bool trailer_at_end();
  // Of a block of which the file has all bytes, whether or not its hash holds.
  [[nodiscard]] std::optional<BlockHeader> header_at(std::uint64_t offset);
  void add_damage(std::uint64_t begin, std::uint64_t end);
  void end_at(std::uint64_t offset);

  files::ByteSource& source_;
  std::uint64_t offset_ = kPreambleBytes;  // behind the last block
  std::uint64_t last_offset_ = 0;
  bool last_is_footer_ = false;
  std::vector<ByteRange> damaged_;
  std::uint64_t hashed_in_vain_ = 0;
  bool gave_up_ = false, ended_ = false;
  std::uint64_t cut_bytes_ = 0;
};

}  // namespace runahead::recordings
