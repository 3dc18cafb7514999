// What a recording needs beyond its rows to be opened by the piece, for what is one sequence of rows:
// PieceSealer, of which a TableSealer is one and a CounterSealer one for each counter. As SliceSealer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "instrumentation/base/check.h"
#include "instrumentation/trace/io/payload.h"
#include "instrumentation/trace/io/piece_index.h"
#include "instrumentation/trace/io/recording_file.h"
#include "instrumentation/trace/io/row_runs.h"
#include "instrumentation/trace/io/sealer_limits.h"
#include "instrumentation/trace/io/set_aside.h"
#include "instrumentation/trace/io/table_pieces.h"

namespace runahead::trace::io {

template <typename Block>
class PieceSealer {
 public:
  using Row = typename Block::Row;
  using Format = TableFormat<Block>;

  explicit PieceSealer(TrackId counter = kNoTrack) { unwritten_.counter = counter; }

  // So many more rows complete the piece that has begun; 0 where none has.
  [[nodiscard]] std::size_t missing() const { return pending_.empty() ? 0 : kBlockRows - pending_.size(); }
  // Rows that are in the file among others. REQUIRES: at most missing(), or fewer than kBlockRows where that
  // is 0.
  void add_loose(std::span<const Row> rows, const EmitBlock& emit) {
    append_to_piece(rows, pending_);
    RUNAHEAD_CHECK_OP(pending_.size(), <=, kBlockRows);
    if (pending_.size() < kBlockRows) return;
    add_piece(pending_, emit(BlockKind::kRowsAgain, again()), 0, emit);
    pending_ = std::vector<Row>();  // its memory too: there may be many counters
  }
  // Rows that are a block at `offset`. REQUIRES: a multiple of kBlockRows; missing() is 0.
  void add_block(std::span<const Row> rows, std::uint64_t offset, const EmitBlock& emit) {
    RUNAHEAD_CHECK(pending_.empty() && rows.size() % kBlockRows == 0);
    for (std::size_t part = 0; part < rows.size() / kBlockRows; ++part) {
      add_piece(rows.subspan(part * kBlockRows, kBlockRows), offset, part, emit);
    }
  }
  [[nodiscard]] std::span<const Row> pending() const { return pending_; }  // fewer than kBlockRows
  [[nodiscard]] std::size_t pending_bytes() const { return pending_.capacity() * sizeof(Row); }
  // No piece has begun any more: they are someone else's to put into pieces.
  [[nodiscard]] std::vector<Row> take_pending() { return std::exchange(pending_, {}); }
  // The pending rows, as a block of rows that are in the file already. REQUIRES: there are some.
  [[nodiscard]] Payload again() const {
    return rows_again(Format::kKind, Format::encode(unwritten_.counter, pending_));
  }
  // Rows that are in the file already, elsewhere and not in this order: whole pieces of them are written
  // again. REQUIRES: missing() is 0.
  void add_again(std::span<const Row> rows, const EmitBlock& emit) {
    const std::span<const Row> whole = rows.first(rows.size() / kBlockRows * kBlockRows);
    if (!whole.empty()) {
      const Payload payload = rows_again(Format::kKind, Format::encode(unwritten_.counter, whole));
      add_block(whole, emit(BlockKind::kRowsAgain, payload), emit);
    }
    add_loose(rows.subspan(whole.size()), emit);
  }
  // All pieces so far, those of blocks that are written already too; nullopt where one cannot be read.
  [[nodiscard]] std::optional<std::vector<TablePiece>> pieces(const ReadBlock& read) const {
    std::vector<TablePiece> out;
    for (const std::uint64_t offset : written_) {
      const std::optional<WholeBlock> block = read(offset);
      TablePieces part;
      if (!block || block->kind != BlockKind::kTablePieces || !decode_table_pieces(block->payload, part))
        return {};
      out.insert(out.end(), part.pieces.begin(), part.pieces.end());
    }
    out.insert(out.end(), unwritten_.pieces.begin(), unwritten_.pieces.end());
    return out;
  }
  // A piece that is in the file. REQUIRES: missing() is 0.
  void add_piece(const TablePiece& piece, const EmitBlock& emit) {
    unwritten_.kind = Format::kKind;
    unwritten_.pieces.push_back(piece);
    if (unwritten_.pieces.size() == kUnwrittenPieces) write_pieces(emit);
  }
  // Writes what is left of the index, and notes where all of it is.
  void finish(const EmitBlock& emit, Opening& opening) {
    write_pieces(emit);
    opening.tables.insert(opening.tables.end(), written_.begin(), written_.end());
  }

 private:
  void add_piece(std::span<const Row> rows, std::uint64_t offset, std::uint64_t part, const EmitBlock& emit) {
    add_piece({offset, part, Format::facts(Block::summary_of(rows))}, emit);
  }
  void write_pieces(const EmitBlock& emit) {
    if (unwritten_.pieces.empty()) return;
    written_.push_back(emit(BlockKind::kTablePieces, encode_table_pieces(unwritten_)));
    unwritten_.pieces.clear();
  }

  static constexpr std::size_t kUnwrittenPieces = 1024;
  std::vector<Row> pending_;
  TablePieces unwritten_;
  std::vector<std::uint64_t> written_;  // offsets of blocks of pieces
};

template <typename Block>
class TableSealer {
 public:
  using Row = typename Block::Row;
  using Format = TableFormat<Block>;

  // Writes the rows, in blocks of at most `most` (a multiple of kBlockRows): what completes the piece that
  // has begun, whole pieces, what begins the next.
  void write(std::span<const Row> rows, std::size_t most, const EmitBlock& emit) {
    const std::size_t head = std::min(rows.size(), pieces_.missing());
    const std::size_t body = (rows.size() - head) / kBlockRows * kBlockRows;
    write_loose(rows.first(head), emit);
    for (std::size_t at = head; at < head + body; at += most) {
      const auto block = rows.subspan(at, std::min(most, head + body - at));
      pieces_.add_block(block, emit(Format::kKind, Format::encode(kNoTrack, block)), emit);
    }
    write_loose(rows.subspan(head + body), emit);
  }
  // Writes what is left, and notes where it all is.
  void finish(const EmitBlock& emit, Opening& opening) {
    pieces_.finish(emit, opening);
    if (!pieces_.pending().empty()) opening.tails.push_back(emit(BlockKind::kRowsAgain, pieces_.again()));
  }
  [[nodiscard]] const PieceSealer<Block>& pieces() const { return pieces_; }
  void set_pieces(PieceSealer<Block> pieces) { pieces_ = std::move(pieces); }

 private:
  void write_loose(std::span<const Row> rows, const EmitBlock& emit) {
    if (rows.empty()) return;
    emit(Format::kKind, Format::encode(kNoTrack, rows));
    pieces_.add_loose(rows, emit);
  }

  PieceSealer<Block> pieces_;
};

// As SliceSealer, for the samples of counters.
class CounterSealer {
 public:
  void set_limits(const SealerLimits& limits) { limits_ = limits; }  // before anything else
  [[nodiscard]] std::size_t missing(const CounterChunk& of) const;
  void add_loose(const CounterChunk& rows, const EmitBlock& emit);
  void add_block(const CounterChunk& rows, std::uint64_t offset, const EmitBlock& emit);
  // Where some cannot be read again no counters are in pieces, and a reader takes all from their blocks.
  void finish(const EmitBlock& emit, const ReadBlock& read, Opening& opening);

 private:
  struct Counter {
    TrackId track;
    PieceSealer<CounterBlock> pieces;
    std::uint64_t rows = 0;  // so far
  };
  [[nodiscard]] Counter& counter(TrackId track);
  void keep_within_limit(const EmitBlock& emit);
  void set_more_aside();
  [[nodiscard]] bool seal_set_aside(const EmitBlock& emit, const ReadBlock& read,
                                    SharedBlocks<CounterRunFormat>& tails);

  SealerLimits limits_;
  SetAside<CounterRunFormat> aside_;
  std::unordered_map<std::uint32_t, std::size_t> places_;  // by track: index in counters_
  std::vector<Counter> counters_;                          // in the order in which they came
  std::size_t pending_bytes_ = 0;                          // of all that are not set aside
};

}  // namespace runahead::trace::io
