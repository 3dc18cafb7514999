// The part of a recording that opens it without reading all of it: which piece (kBlockRows rows of one lane)
// lies where, with its summary, and digests of the pieces. docs/recording-format.md has the layout. Decoding
// trusts nothing, as in payload.h.
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
// `block_offset`, a multiple of kBlockRows.
struct SliceChunk {
  std::uint64_t block_offset = 0;
  std::uint64_t first_row = 0;
  std::int64_t busy_ns = 0;
  SliceBlock::Summary summary;  // busy_before_ns is 0
  friend bool operator==(const SliceChunk&, const SliceChunk&) = default;
};

// Pieces of a lane that follow those of the block of pieces before.
struct LaneChunks {
  TrackId track = kNoTrack;
  std::uint32_t depth = 0;
  std::vector<SliceChunk> chunks;
  std::vector<std::uint64_t> lods;  // offsets of their blocks, in order
};

inline constexpr std::size_t kMostPiecesInBlock = 1u << 16;

[[nodiscard]] std::string encode_chunks(std::span<const LaneChunks> lanes);
[[nodiscard]] bool decode_chunks(std::string_view payload, std::vector<LaneChunks>& out);

// Cells of at most kLodBlocks pieces.
[[nodiscard]] std::string encode_lod(std::span<const LodBin> bins);
[[nodiscard]] bool decode_lod(std::string_view payload, std::vector<LodBin>& out);

// Where to begin: all blocks of pieces, all blocks with the rows that make no whole piece, and all blocks of
// pieces of tables (table_chunks.h).
struct Opening {
  std::vector<std::uint64_t> chunks, tails, tables;  // offsets
  // Also in pieces; else they are to be read from their blocks. In no file of before they were.
  bool has_counters = false, has_instants = false;
};
[[nodiscard]] std::string encode_opening(const Opening& opening);
[[nodiscard]] bool decode_opening(std::string_view payload, Opening& out);

}  // namespace runahead::recordings
