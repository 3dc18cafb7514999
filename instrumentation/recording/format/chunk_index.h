// The index of a recording, with which a reader opens the recording without reading all of it. The index has
// the place and the summary of each chunk (kBlockRows rows of one lane), and levels of detail (LODs) of the
// chunks. docs/recording-format.md has the layout. Decoding trusts no value, as in payload.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "instrumentation/trace/columns/slice_lod.h"

namespace runahead::recordings {
using namespace trace;

// kBlockRows slices of a lane: rows [first_row, first_row + kBlockRows) of the lane in the block at
// `block_offset`; first_row is a multiple of kBlockRows.
struct SliceChunk {
  std::uint64_t block_offset = 0;
  std::uint64_t first_row = 0;
  std::int64_t busy_ns = 0;
  SliceBlock::Summary summary;  // busy_before_ns is 0
  friend bool operator==(const SliceChunk&, const SliceChunk&) = default;
};

// The chunks of a lane in one index block (BlockKind::kChunks). These chunks follow the lane's chunks in the
// previous index block.
struct LaneChunks {
  TrackId track = kNoTrack;
  std::uint32_t depth = 0;
  std::vector<SliceChunk> chunks;
  std::vector<std::uint64_t> lods;  // offsets of the LOD blocks, in order
};

inline constexpr std::size_t kMostPiecesInBlock = 1u << 16;

[[nodiscard]] std::string encode_chunks(std::span<const LaneChunks> lanes);
[[nodiscard]] bool decode_chunks(std::string_view payload, std::vector<LaneChunks>& out);

// The payload of one LOD block: the bins of at most kLodBlocks chunks. A bin summarises kLodBinRows rows.
[[nodiscard]] std::string encode_lod(std::span<const LodBin> bins);
[[nodiscard]] bool decode_lod(std::string_view payload, std::vector<LodBin>& out);

// The entry point of the index. It lists all index blocks (kChunks, kTableChunks) and all tails. A tail is
// a block with the last rows of lanes, counters or a table. These rows do not fill a chunk.
struct Opening {
  std::vector<std::uint64_t> chunks, tails, tables;  // offsets of the blocks
  // True if the samples of counters (or the instants) are in chunks too. In old files these rows are not in
  // chunks. A reader then reads the blocks in which these rows arrived.
  bool has_counters = false, has_instants = false;
};
[[nodiscard]] std::string encode_opening(const Opening& opening);
[[nodiscard]] bool decode_opening(std::string_view payload, Opening& out);

}  // namespace runahead::recordings
