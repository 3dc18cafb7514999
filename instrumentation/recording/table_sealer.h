// Sealers of single sequences of rows, with the method of SliceSealer: ChunkSealer for one sequence,
// TableSealer for a table (it has one ChunkSealer), CounterSealer for counters (it has one ChunkSealer for
// each counter).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "instrumentation/base/check.h"
#include "instrumentation/recording/format/chunk_index.h"
#include "instrumentation/recording/format/payload.h"
#include "instrumentation/recording/format/table_chunks.h"
#include "instrumentation/recording/recording_file.h"
#include "instrumentation/recording/row_runs.h"
#include "instrumentation/recording/sealer_limits.h"
#include "instrumentation/recording/set_aside.h"

namespace runahead::recordings {
using namespace trace;

template <typename Block>
class ChunkSealer {
 public:
  using Row = typename Block::Row;
  using Format = TableFormat<Block>;

  explicit ChunkSealer(TrackId counter = kNoTrack) { unwritten_.counter = counter; }

  // The number of rows that the started chunk still needs to be complete; 0: no chunk is started.
  [[nodiscard]] std::size_t missing() const { return pending_.empty() ? 0 : kBlockRows - pending_.size(); }
  // Adds rows that are in a block of the file together with other rows. REQUIRES: at most missing() rows, or
  // fewer than kBlockRows if missing() is 0.
  void add_loose(std::span<const Row> rows, const EmitBlock& emit) {
    append_to_chunk(rows, pending_);
    RUNAHEAD_CHECK_OP(pending_.size(), <=, kBlockRows);
    if (pending_.size() < kBlockRows) return;
    add_chunk(pending_, emit(BlockKind::kRowsAgain, again()), 0, emit);
    pending_ = std::vector<Row>();  // also frees the memory: there may be many counters
  }
  // Adds rows that form the block at `offset`. REQUIRES: their number is a multiple of kBlockRows; missing()
  // is 0.
  void add_block(std::span<const Row> rows, std::uint64_t offset, const EmitBlock& emit) {
    RUNAHEAD_CHECK(pending_.empty() && rows.size() % kBlockRows == 0);
    for (std::size_t part = 0; part < rows.size() / kBlockRows; ++part) {
      add_chunk(rows.subspan(part * kBlockRows, kBlockRows), offset, part, emit);
    }
  }
  [[nodiscard]] std::span<const Row> pending() const { return pending_; }  // fewer than kBlockRows rows
  [[nodiscard]] std::size_t pending_bytes() const { return pending_.capacity() * sizeof(Row); }
  // Returns the rows of the started chunk and forgets them. The caller must put these rows into chunks.
  [[nodiscard]] std::vector<Row> take_pending() { return std::exchange(pending_, {}); }
  // Returns the pending rows as a block of repeated rows, because the file already has them. REQUIRES:
  // pending() is not empty.
  [[nodiscard]] Payload again() const {
    return rows_again(Format::kKind, Format::encode(unwritten_.counter, pending_));
  }
  // Adds rows that the file already has in another place and order: writes complete chunks of these rows
  // again. REQUIRES: missing() is 0.
  void add_again(std::span<const Row> rows, const EmitBlock& emit) {
    const std::span<const Row> whole = rows.first(rows.size() / kBlockRows * kBlockRows);
    if (!whole.empty()) {
      const Payload payload = rows_again(Format::kKind, Format::encode(unwritten_.counter, whole));
      add_block(whole, emit(BlockKind::kRowsAgain, payload), emit);
    }
    add_loose(rows.subspan(whole.size()), emit);
  }
  // Returns all chunks so far, including chunks whose index block is written already; nullopt: an index block
  // cannot be read.
  [[nodiscard]] std::optional<std::vector<TableChunk>> chunks(const ReadBlock& read) const {
    std::vector<TableChunk> out;
    for (const std::uint64_t offset : written_) {
      const std::optional<WholeBlock> block = read(offset);
      TableChunks part;
      if (!block || block->kind != BlockKind::kTableChunks || !decode_table_chunks(block->payload, part))
        return {};
      out.insert(out.end(), part.chunks.begin(), part.chunks.end());
    }
    out.insert(out.end(), unwritten_.chunks.begin(), unwritten_.chunks.end());
    return out;
  }
  // Adds a chunk whose rows are already in the file. REQUIRES: missing() is 0.
  void add_chunk(const TableChunk& chunk, const EmitBlock& emit) {
    unwritten_.kind = Format::kKind;
    unwritten_.chunks.push_back(chunk);
    if (unwritten_.chunks.size() == kUnwrittenChunks) write_chunks(emit);
  }
  // Writes the rest of the index, and stores the offsets of all index blocks in `opening`.
  void finish(const EmitBlock& emit, Opening& opening) {
    write_chunks(emit);
    opening.tables.insert(opening.tables.end(), written_.begin(), written_.end());
  }

 private:
  void add_chunk(std::span<const Row> rows, std::uint64_t offset, std::uint64_t part, const EmitBlock& emit) {
    add_chunk({offset, part, Format::facts(Block::summary_of(rows))}, emit);
  }
  void write_chunks(const EmitBlock& emit) {
    if (unwritten_.chunks.empty()) return;
    written_.push_back(emit(BlockKind::kTableChunks, encode_table_chunks(unwritten_)));
    unwritten_.chunks.clear();
  }

  static constexpr std::size_t kUnwrittenChunks = 1024;
  std::vector<Row> pending_;
  TableChunks unwritten_;
  std::vector<std::uint64_t> written_;  // offsets of the written kTableChunks blocks
};

template <typename Block>
class TableSealer {
 public:
  using Row = typename Block::Row;
  using Format = TableFormat<Block>;

  // Writes the rows in blocks of at most `most` rows (a multiple of kBlockRows): first rows that complete the
  // started chunk, then complete chunks, then rows that begin the next chunk.
  void write(std::span<const Row> rows, std::size_t most, const EmitBlock& emit) {
    const std::size_t head = std::min(rows.size(), chunks_.missing());
    const std::size_t body = (rows.size() - head) / kBlockRows * kBlockRows;
    write_loose(rows.first(head), emit);
    for (std::size_t at = head; at < head + body; at += most) {
      const auto block = rows.subspan(at, std::min(most, head + body - at));
      chunks_.add_block(block, emit(Format::kKind, Format::encode(kNoTrack, block)), emit);
    }
    write_loose(rows.subspan(head + body), emit);
  }
  // Writes the remaining rows, and stores all offsets in `opening`.
  void finish(const EmitBlock& emit, Opening& opening) {
    chunks_.finish(emit, opening);
    if (!chunks_.pending().empty()) opening.tails.push_back(emit(BlockKind::kRowsAgain, chunks_.again()));
  }
  [[nodiscard]] const ChunkSealer<Block>& chunks() const { return chunks_; }
  void set_chunks(ChunkSealer<Block> chunks) { chunks_ = std::move(chunks); }

 private:
  void write_loose(std::span<const Row> rows, const EmitBlock& emit) {
    if (rows.empty()) return;
    emit(Format::kKind, Format::encode(kNoTrack, rows));
    chunks_.add_loose(rows, emit);
  }

  ChunkSealer<Block> chunks_;
};

// Does for the samples of counters what SliceSealer does for slices.
class CounterSealer {
 public:
  void set_limits(const SealerLimits& limits) { limits_ = limits; }  // before any other call
  [[nodiscard]] std::size_t missing(const CounterChunk& of) const;
  void add_loose(const CounterChunk& rows, const EmitBlock& emit);
  void add_block(const CounterChunk& rows, std::uint64_t offset, const EmitBlock& emit);
  // If some samples cannot be read again, opening.has_counters is false. A reader then takes all samples from
  // the blocks in which they arrived.
  void finish(const EmitBlock& emit, const ReadBlock& read, Opening& opening);

 private:
  struct Counter {
    TrackId track;
    ChunkSealer<CounterBlock> chunks;
    std::uint64_t rows = 0;  // number of rows so far
  };
  [[nodiscard]] Counter& counter(TrackId track);
  void keep_within_limit(const EmitBlock& emit);
  void set_more_aside();
  [[nodiscard]] bool seal_set_aside(const EmitBlock& emit, const ReadBlock& read,
                                    SharedBlocks<CounterRunFormat>& tails);

  SealerLimits limits_;
  SetAside<CounterRunFormat> aside_;
  std::unordered_map<std::uint32_t, std::size_t> places_;  // key: track; value: index in counters_
  std::vector<Counter> counters_;                          // in order of arrival
  std::size_t pending_bytes_ = 0;  // pending bytes of all counters that are not set aside
};

}  // namespace runahead::recordings
