#include "instrumentation/trace/row_reader.h"

#include <algorithm>

namespace runahead::trace {

std::uint64_t InstantReader::next_of_tracks(TrackBits tracks, std::uint64_t index) const {
  while (index < size()) {
    const std::uint64_t row = rows_->first_row() + index;
    if (rows_->in_tail(row) || (rows_->entry_of(row).summary.tracks & tracks) != 0) return index;
    index = beyond_block(index);
  }
  return index;
}

std::uint64_t InstantReader::end_of_tracks(TrackBits tracks, std::uint64_t index) const {
  while (index > 0) {
    const std::uint64_t row = rows_->first_row() + index - 1;
    if (rows_->in_tail(row)) {
      if ((bit_of(rows_->tail_at(row).track) & tracks) != 0) return index;
      --index;
    } else if ((rows_->entry_of(row).summary.tracks & tracks) != 0) {
      return index;
    } else {
      index -= std::min<std::uint64_t>(index, rows_->index_in_block(row) + 1);
    }
  }
  return 0;
}

std::optional<Instant> InstantReader::instant_if_here(std::uint64_t index) {
  const std::uint64_t row = rows_->first_row() + index;
  if (rows_->in_tail(row)) return rows_->tail_at(row);
  const InstantBlock* const block = block_.get_if_here(*rows_, rows_->block_of(row));
  if (block == nullptr) return std::nullopt;
  return block->row(rows_->index_in_block(row));
}

std::uint64_t InstantReader::first_from(Timestamp t) {
  const auto blocks = rows_->blocks();
  const std::size_t b = gallop(0, blocks.size(), [&](std::size_t i) { return blocks[i].summary.last >= t; });
  if (b == blocks.size()) {
    const auto tail = rows_->tail();
    const std::size_t i = gallop(0, tail.size(), [&](std::size_t r) { return tail[r].at >= t; });
    return rows_->tail_row() + i - rows_->first_row();
  }
  const std::uint64_t first = rows_->first_row_of(b) - rows_->first_row();
  const InstantBlock* const block = blocks[b].summary.first < t ? block_.get_if_here(*rows_, b) : nullptr;
  if (block == nullptr) return first;
  return first + gallop(0, kBlockRows, [&](std::size_t i) { return block->at_ns(i) >= ns_from(t); });
}

Timestamp InstantReader::not_after(std::uint64_t index) const {
  const std::uint64_t row = rows_->first_row() + index;
  return rows_->in_tail(row) ? rows_->tail_at(row).at : rows_->entry_of(row).summary.first;
}

std::uint64_t InstantReader::beyond_block(std::uint64_t index) const {
  const std::uint64_t row = rows_->first_row() + index;
  if (rows_->in_tail(row)) return index + 1;
  return index + kBlockRows - rows_->index_in_block(row);
}

}  // namespace runahead::trace
