// BlockScanner: returns the whole (undamaged) blocks of a recording in file order. After a damaged block it
// continues at the next whole block, and reports the bytes that it skipped.
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
  std::string_view stored;  // the payload as it is in the file; valid until the next use of the scanner
  std::uint64_t offset = 0, end = 0;
};

// Method: a block begins where the previous block ends. If no whole block is there, the scanner searches for
// the block magic and checks the hash of each candidate. A damaged length or a forged header may claim up to
// 32 MiB, and only the hash over all 32 MiB reveals the damage. Therefore the number of bytes that are hashed
// in vain (for candidates that turn out to be damaged) is limited by most_hashed_in_vain(); beyond this limit
// the rest of the file counts as damaged. So the time of a scan is linear in the file size, whatever the file
// contains.
class BlockScanner {
 public:
  explicit BlockScanner(files::ByteSource& source) : source_(source) {}  // must outlive this

  // The next undamaged block; nullopt: no more blocks follow.
  [[nodiscard]] std::optional<ScannedBlock> next();
  // True if an undamaged block directly follows the preamble. next() then returns it first.
  [[nodiscard]] bool block_behind_preamble();
  // Counts the block that next() returned last as damaged. REQUIRES: next() returned a block.
  void reject_last();

  // The ranges of bytes skipped so far, in order and disjoint.
  [[nodiscard]] const std::vector<ByteRange>& damaged() const { return damaged_; }
  [[nodiscard]] std::uint64_t damaged_bytes() const;
  // ended() and cut_bytes() are valid once next() has returned nullopt. ended(): the writer finished the
  // file. If the writer did not finish, cut_bytes() is the size of the incomplete block at the end of the
  // file; 0: there is no incomplete block.
  [[nodiscard]] bool ended() const { return ended_; }
  [[nodiscard]] std::uint64_t cut_bytes() const { return cut_bytes_; }

  [[nodiscard]] std::uint64_t hashed_in_vain() const { return hashed_in_vain_; }
  // The limit of hashed_in_vain(). 64 MiB are enough for two blocks with a damaged length of 32 MiB, even in
  // a small file. The other term, eight bytes per byte of the file, is enough for one more such block in
  // every 4 MiB of the file.
  [[nodiscard]] static constexpr std::uint64_t most_hashed_in_vain(std::uint64_t file_bytes) {
    return (std::uint64_t{64} << 20) + 8 * file_bytes;
  }

 private:
  [[nodiscard]] std::optional<ScannedBlock> whole_block(std::uint64_t offset);
  [[nodiscard]] std::optional<ScannedBlock> search_from(std::uint64_t offset);
  [[nodiscard]] std::uint64_t next_magic(std::uint64_t from);  // returns the file size if there is no magic
  [[nodiscard]] bool trailer_at_end();
  // Returns the header of the block at `offset`, if all bytes of the block are in the file. Does not check
  // the hash.
  [[nodiscard]] std::optional<BlockHeader> header_at(std::uint64_t offset);
  void add_damage(std::uint64_t begin, std::uint64_t end);
  void end_at(std::uint64_t offset);

  files::ByteSource& source_;
  std::uint64_t offset_ = kPreambleBytes;  // end of the block that next() returned last
  std::uint64_t last_offset_ = 0;
  bool last_is_footer_ = false;
  std::vector<ByteRange> damaged_;
  std::uint64_t hashed_in_vain_ = 0;
  bool gave_up_ = false, ended_ = false;
  std::uint64_t cut_bytes_ = 0;
};

}  // namespace runahead::recordings
