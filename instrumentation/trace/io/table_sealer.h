// TableSealer: as SliceSealer, for a table that is one sequence of rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "instrumentation/trace/io/piece_index.h"
#include "instrumentation/trace/io/slice_sealer.h"
#include "instrumentation/trace/io/table_pieces.h"

namespace runahead::trace::io {

template <typename Block>
class TableSealer {
 public:
  using Row = typename Block::Row;
  using Format = TableFormat<Block>;

  // Writes the rows, in blocks of at most `most` (a multiple of kBlockRows): what completes the piece that
  // has begun, whole pieces, what begins the next.
  void write(std::span<const Row> rows, std::size_t most, const EmitBlock& emit) {
    const std::size_t missing = pending_.empty() ? 0 : kBlockRows - pending_.size();
    const std::size_t head = std::min(rows.size(), missing);
    const std::size_t body = (rows.size() - head) / kBlockRows * kBlockRows;
    write_loose(rows.first(head), emit);
    for (std::size_t at = head; at < head + body; at += most) {
      const auto block = rows.subspan(at, std::min(most, head + body - at));
      const std::uint64_t offset = emit(Format::kKind, Format::encode(block));
      for (std::size_t part = 0; part < block.size() / kBlockRows; ++part) {
        add_piece(block.subspan(part * kBlockRows, kBlockRows), offset, part, emit);
      }
    }
    write_loose(rows.subspan(head + body), emit);
  }
  // Writes what is left, and notes where it all is.
  void finish(const EmitBlock& emit, Opening& opening) {
    write_pieces(emit);
    opening.tables.insert(opening.tables.end(), written_.begin(), written_.end());
    if (pending_.empty()) return;
    opening.tails.push_back(emit(BlockKind::kRowsAgain, again(pending_)));
  }

 private:
  static Payload again(std::span<const Row> rows) {
    return rows_again(Format::kKind, Format::encode(rows));
  }
  void write_loose(std::span<const Row> rows, const EmitBlock& emit) {
    if (rows.empty()) return;
    emit(Format::kKind, Format::encode(rows));
    pending_.insert(pending_.end(), rows.begin(), rows.end());
    if (pending_.size() < kBlockRows) return;
    add_piece(pending_, emit(BlockKind::kRowsAgain, again(pending_)), 0, emit);
    pending_.clear();
  }
  void add_piece(std::span<const Row> rows, std::uint64_t offset, std::uint64_t part, const EmitBlock& emit) {
    unwritten_.kind = Format::kKind;
    unwritten_.pieces.push_back({offset, part, Format::facts(Block::summary_of(rows))});
    if (unwritten_.pieces.size() == kUnwrittenPieces) write_pieces(emit);
  }
  void write_pieces(const EmitBlock& emit) {
    if (unwritten_.pieces.empty()) return;
    written_.push_back(emit(BlockKind::kTablePieces, encode_table_pieces(unwritten_)));
    unwritten_.pieces.clear();
  }

  static constexpr std::size_t kUnwrittenPieces = 1024;
  std::vector<Row> pending_;  // fewer than kBlockRows
  TablePieces unwritten_;
  std::vector<std::uint64_t> written_;  // offsets of blocks of pieces
};

}  // namespace runahead::trace::io
