// Readers: read the rows of one sequence one after another. A reader pins the current block (keeps it in
// memory), so that it does not have to find and load the block again for each row. LaneReader does the same
// for lanes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>

#include "instrumentation/trace/counter_series.h"
#include "instrumentation/trace/instant_table.h"

namespace runahead::trace {

// Pins the last block that was requested. One thread at a time may use a HeldBlock. A copy pins the same
// block.
template <typename Block>
class HeldBlock {
 public:
  // Loads the block if it is not in memory. REQUIRES: `index` is an index of rows.blocks(); `rows` is the
  // same in each call.
  [[nodiscard]] const Block& get(const BlockSequence<Block>& rows, std::size_t index) {
    if (index != held_ || pin_.get() == nullptr) pin_ = rows.block(index);
    held_ = index;
    return *pin_;
  }
  // Null: the block is not in memory. Repeated calls with the same index request the block only once.
  [[nodiscard]] const Block* get_if_here(const BlockSequence<Block>& rows, std::size_t index) {
    if (index != held_) pin_ = rows.block_if_here(index);
    held_ = index;
    return pin_.get();
  }
  [[nodiscard]] bool holds(std::size_t index) const { return index == held_ && pin_.get() != nullptr; }

 private:
  BlockPin<Block> pin_{std::shared_ptr<const Block>()};
  std::size_t held_ = SIZE_MAX;
};

// Reads the samples of a counter. The series must outlive the reader and must not change.
class CounterReader {
 public:
  explicit CounterReader(const CounterSeries& series) : rows_(&series.sequence()) {}
  // REQUIRES: the series has `row`.
  [[nodiscard]] CounterSample sample(std::uint64_t row) {
    if (rows_->in_tail(row)) return rows_->tail_at(row);
    return block_.get(*rows_, rows_->block_of(row)).row(rows_->index_in_block(row));
  }

 private:
  const BlockSequence<CounterBlock>* rows_;
  HeldBlock<CounterBlock> block_;
};

// Reads instants. The table must outlive the reader and must not change. An index counts the table's instants
// by time, as in Trace::instant().
class InstantReader {
 public:
  explicit InstantReader(const InstantTable& table) : rows_(&table.sequence()) {}
  [[nodiscard]] std::uint64_t size() const { return rows_->size(); }

  [[nodiscard]] Instant instant(std::uint64_t index) {  // REQUIRES: < size()
    const std::uint64_t row = rows_->first_row() + index;
    if (rows_->in_tail(row)) return rows_->tail_at(row);
    return block_.get(*rows_, rows_->block_of(row)).row(rows_->index_in_block(row));
  }
  // Returns the first index, at or after `index`, of an instant that may be on these tracks; size() if there
  // is none.
  // Blocks without such instants are skipped.
  [[nodiscard]] std::uint64_t next_of_tracks(TrackBits tracks, std::uint64_t index) const;
  // Returns the index after the last instant, before `index`, that may be on these tracks; 0 if there is
  // none. Blocks without such instants are skipped.
  [[nodiscard]] std::uint64_t end_of_tracks(TrackBits tracks, std::uint64_t index) const;

  // ---- for drawing a frame: these functions never wait for the file -----------------------------------
  // nullopt: the instant's block is not in memory; the call requests the block. REQUIRES: index < size().
  [[nodiscard]] std::optional<Instant> instant_if_here(std::uint64_t index);
  // The index of the first instant at or after `t`. If the block of this instant is not in memory, the call
  // requests it and returns the index of the block's first instant.
  [[nodiscard]] std::uint64_t first_from(Timestamp t);
  // Returns a time that is not after the instant's time, without reading the instant's block: the time of the
  // block's first instant. In the tail: the instant's own time. REQUIRES: index < size().
  [[nodiscard]] Timestamp not_after(std::uint64_t index) const;
  // The first index after the block that contains `index`; in the tail the next index. REQUIRES: index <
  // size().
  [[nodiscard]] std::uint64_t beyond_block(std::uint64_t index) const;

 private:
  const BlockSequence<InstantBlock>* rows_;
  HeldBlock<InstantBlock> block_;
};

}  // namespace runahead::trace
