// SliceSealer: what a recording needs beyond its rows to be opened by the piece. The rows of a lane that went
// into the file a few at a time are kept until they make a piece (kBlockRows rows), which is then written
// again in a block of its own; rows that come by the thousand are pieces where they are. Where there are more
// lanes than it may keep the rows of, the least busy ones are set aside: their pieces are made at the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "instrumentation/recording/format/block.h"
#include "instrumentation/recording/format/chunk_index.h"
#include "instrumentation/recording/format/payload.h"
#include "instrumentation/recording/row_runs.h"
#include "instrumentation/recording/sealer_limits.h"
#include "instrumentation/recording/set_aside.h"
#include "instrumentation/trace/rows/batch.h"

namespace runahead::recordings {
using namespace trace;

class SliceSealer {
 public:
  void set_limits(const SealerLimits& limits) { limits_ = limits; }  // before anything else
  // So many more rows of the lane complete the piece that has begun; 0 where none has.
  [[nodiscard]] std::size_t missing(const LaneChunk& of) const;
  // Rows that are in the file among others. REQUIRES: at most missing(), or fewer than kBlockRows where that
  // is 0.
  void add_loose(const LaneChunk& rows, const EmitBlock& emit);
  // Rows that are a block at `offset`. REQUIRES: a multiple of kBlockRows; missing() is 0.
  void add_block(const LaneChunk& rows, std::uint64_t offset, const EmitBlock& emit);
  // Writes what is left, and notes where it all is; false where it was abandoned, or cannot be read again.
  [[nodiscard]] bool finish(const EmitBlock& emit, const ReadBlock& read, Opening& opening);

  // Forgets everything, and does nothing from now on: the recording will be opened by reading all of it.
  void abandon();

 private:
  struct ChunkAt {
    std::uint64_t offset, first_row;
  };
  struct Lane {
    std::vector<Slice> pending;  // fewer than kBlockRows
    std::vector<ChunkAt> begun;  // pieces of the digest that has begun
    std::vector<LodBin> bins;    // of those; none of a lane that was set aside: they are made again
    LaneChunks unwritten;
    std::uint64_t rows = 0;  // so far
  };
  [[nodiscard]] Lane& lane(const LaneChunk& of);
  void add_chunk(Lane& lane, std::span<const Slice> rows, std::uint64_t offset, std::uint64_t first_row,
                 const EmitBlock& emit);
  void write_lod(Lane& lane, const EmitBlock& emit);
  void write_chunks(const EmitBlock& emit);
  void keep_within_limit(const EmitBlock& emit);
  void set_more_aside();
  [[nodiscard]] bool seal_set_aside(const EmitBlock& emit, const ReadBlock& read,
                                    SharedBlocks<LaneRunFormat>& tails);
  [[nodiscard]] bool restore_bins(Lane& lane, const ReadBlock& read);
  [[nodiscard]] std::size_t kept_bytes() const;

  SealerLimits limits_;
  SetAside<LaneRunFormat> aside_;
  std::unordered_map<std::uint64_t, std::size_t> places_;  // (track, depth) -> index in lanes_
  std::vector<Lane> lanes_;                                // in the order in which they came
  std::vector<std::uint64_t> written_;                     // offsets of blocks of pieces
  std::size_t unwritten_ = 0;                              // pieces
  std::size_t pending_rows_ = 0, bins_ = 0;                // of all lanes: rows there is room for, cells
  bool abandoned_ = false;
};

}  // namespace runahead::recordings
