// SliceSealer: forms chunks from the slices of a recording, and writes the chunks and their index, so that a
// reader can load single chunks.
// Method: rows of a lane that arrive a few at a time are written immediately, and retained until they form a
// chunk (kBlockRows rows). The chunk is then written again in a separate block. If thousands of rows of a
// lane arrive together, they form whole chunks at once and are not written again. If there are more lanes
// than memory allows, the least busy lanes are set aside: their chunks are made at the end.
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
  void set_limits(const SealerLimits& limits) { limits_ = limits; }  // before any other call
  // The number of rows that the started chunk of the lane still needs to be complete; 0: no chunk is started.
  [[nodiscard]] std::size_t missing(const LaneChunk& of) const;
  // Adds rows that are in a block of the file together with rows of other lanes. REQUIRES: at most missing()
  // rows, or fewer than kBlockRows if missing() is 0.
  void add_loose(const LaneChunk& rows, const EmitBlock& emit);
  // Adds rows that form the block at `offset`. REQUIRES: their number is a multiple of kBlockRows; missing()
  // is 0.
  void add_block(const LaneChunk& rows, std::uint64_t offset, const EmitBlock& emit);
  // Writes the remaining rows, and stores the offsets of the index blocks and of the tails in `opening`.
  // False: the sealer was abandoned, or rows cannot be read again.
  [[nodiscard]] bool finish(const EmitBlock& emit, const ReadBlock& read, Opening& opening);

  // Forgets everything. After abandon() all calls do nothing: the recording will be opened by reading all of
  // it.
  void abandon();

 private:
  struct ChunkAt {
    std::uint64_t offset, first_row;
  };
  struct Lane {
    std::vector<Slice> pending;  // fewer than kBlockRows rows
    std::vector<ChunkAt> begun;  // chunks that the next LOD will cover
    // bins of the chunks in `begun`; empty for a lane set aside: its bins are made again later
    std::vector<LodBin> bins;
    LaneChunks unwritten;
    std::uint64_t rows = 0;  // number of rows so far
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
  std::unordered_map<std::uint64_t, std::size_t> places_;  // key: (track, depth); value: index in lanes_
  std::vector<Lane> lanes_;                                // in order of arrival
  std::vector<std::uint64_t> written_;                     // offsets of the kChunks blocks written so far
  // number of chunks whose index entries are not written yet
  std::size_t unwritten_ = 0;
  // sums over all lanes. pending_rows_: capacity of `pending`, in rows. bins_: number of bins.
  std::size_t pending_rows_ = 0, bins_ = 0;
  bool abandoned_ = false;
};

}  // namespace runahead::recordings
