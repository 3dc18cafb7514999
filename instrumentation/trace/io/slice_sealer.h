// SliceSealer: what a recording needs beyond its rows to be opened by the piece. The rows of a lane that went
// into the file a few at a time are kept until they make a piece (kBlockRows rows), which is then written
// again in a block of its own; rows that come by the thousand are pieces where they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "instrumentation/trace/batch.h"
#include "instrumentation/trace/io/block.h"
#include "instrumentation/trace/io/payload.h"
#include "instrumentation/trace/io/piece_index.h"

namespace runahead::trace::io {

// Writes a block and returns its offset in the file.
using EmitBlock = std::function<std::uint64_t(BlockKind kind, const Payload& payload)>;

// Writes rows that make no whole piece, of many lanes or counters, into blocks that they share. Chunk: rows.
template <typename Chunk>
class TailWriter {
 public:
  using Encode = Payload (*)(std::span<const Chunk>);
  // Both must outlive it.
  TailWriter(BlockKind kind, Encode encode, const EmitBlock& emit, Opening& opening)
      : kind_(kind), encode_(encode), emit_(emit), opening_(opening) {}
  void add(const Chunk& chunk) {  // its rows must stay
    if (chunk.rows.empty()) return;
    if (rows_ + chunk.rows.size() > kRows) finish();
    chunks_.push_back(chunk);
    rows_ += chunk.rows.size();
  }
  void finish() {
    if (chunks_.empty()) return;
    opening_.tails.push_back(emit_(BlockKind::kRowsAgain, rows_again(kind_, encode_(chunks_))));
    chunks_.clear();
    rows_ = 0;
  }

 private:
  static constexpr std::size_t kRows = 8192;  // in a block
  const BlockKind kind_;
  const Encode encode_;
  const EmitBlock& emit_;
  Opening& opening_;
  std::vector<Chunk> chunks_;
  std::size_t rows_ = 0;
};

class SliceSealer {
 public:
  // So many more rows of the lane complete the piece that has begun; 0 where none has.
  [[nodiscard]] std::size_t missing(const LaneChunk& of) const;
  // Rows that are in the file among others. REQUIRES: at most missing(), or fewer than kBlockRows where that
  // is 0.
  void add_loose(const LaneChunk& rows, const EmitBlock& emit);
  // Rows that are a block at `offset`. REQUIRES: a multiple of kBlockRows; missing() is 0.
  void add_block(const LaneChunk& rows, std::uint64_t offset, const EmitBlock& emit);
  // Writes what is left, and notes where it all is; false where it was abandoned.
  [[nodiscard]] bool finish(const EmitBlock& emit, Opening& opening);

  // Forgets everything, and does nothing from now on: the recording will be opened by reading all of it.
  void abandon();

 private:
  struct Lane {
    std::vector<Slice> pending;  // fewer than kBlockRows
    std::vector<SliceCell> cells;
    LanePieces unwritten;
  };
  [[nodiscard]] Lane& lane(const LaneChunk& of);
  void add_piece(Lane& lane, std::span<const Slice> rows, std::uint64_t offset, std::uint64_t first_row,
                 const EmitBlock& emit);
  void write_digest(Lane& lane, const EmitBlock& emit);
  void write_pieces(const EmitBlock& emit);
  void write_tails(const EmitBlock& emit, Opening& opening);
  void keep_within_limit();

  std::unordered_map<std::uint64_t, std::size_t> places_;  // (track, depth) -> index in lanes_
  std::vector<Lane> lanes_;                                // in the order in which they came
  std::vector<std::uint64_t> written_;                     // offsets of blocks of pieces
  std::size_t unwritten_ = 0;                              // pieces
  std::size_t pending_rows_ = 0, cells_ = 0;               // of all lanes
  bool abandoned_ = false;
};

}  // namespace runahead::trace::io
