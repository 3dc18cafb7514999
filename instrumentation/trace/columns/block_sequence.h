// BlockSequence: stores rows in order. New rows go into a growing tail. When the tail has kBlockRows rows,
// they are sealed: they become an immutable block. Lanes, counters, ops, flows, instants and strings are
// stored in BlockSequences. The blocks of an opened recording may stay in its file: memory then has only
// their summaries, and a block is loaded when it is needed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "instrumentation/base/check.h"
#include "instrumentation/base/shared_tail.h"
#include "instrumentation/base/time.h"
#include "instrumentation/trace/columns/block_source.h"
#include "instrumentation/trace/columns/packed_columns.h"

namespace runahead::trace {

// The first index in [from, end) for which holds(index) is true, `end` if there is none. REQUIRES: holds() is
// false for the first indices and true for all later indices. This is a galloping search: it starts at `from`
// and doubles its step each time. A result that is d indices after `from` costs O(log d).
template <typename Holds>
[[nodiscard]] std::size_t gallop(std::size_t from, std::size_t end, Holds holds) {
  std::size_t step = 1, low = from;
  while (low < end) {
    const std::size_t probe = std::min(low + step - 1, end - 1);
    if (holds(probe)) {
      end = probe;
      break;
    }
    low = probe + 1;
    step *= 2;
  }
  while (low < end) {
    const std::size_t middle = low + (end - low) / 2;
    if (holds(middle)) {
      end = middle;
    } else {
      low = middle + 1;
    }
  }
  return end;
}

// The data of a block by which eviction chooses blocks. A block can be evicted when no reader needs the time
// before `end` any more.
struct BlockEnd {
  Timestamp end{};
  std::size_t bytes = 0;
};

// Copies share every block and the current tail (SharedTail says why that is safe across threads). The type
// Block must have: Row; Summary (trivially copyable; it is stored next to the pointer to the block, so that a
// search does not read the block); Block(span<const Row>); summary(); size_bytes().
template <typename Block>
class BlockSequence {
 public:
  using Row = typename Block::Row;
  using Summary = typename Block::Summary;
  struct Entry {
    Summary summary;
    std::shared_ptr<const Block> block;  // null: not in memory, source_ can load it
  };

  // The sequence covers rows [first_row(), end_row()). Earlier rows were evicted. The tail has rows
  // [tail_row(), end_row()).
  [[nodiscard]] std::uint64_t first_row() const { return first_block_ * kBlockRows; }
  [[nodiscard]] std::uint64_t tail_row() const { return (first_block_ + blocks_.size()) * kBlockRows; }
  [[nodiscard]] std::uint64_t end_row() const { return tail_row() + tail_.size(); }
  [[nodiscard]] std::uint64_t size() const { return end_row() - first_row(); }
  [[nodiscard]] bool empty() const { return blocks_.empty() && tail_.empty(); }
  [[nodiscard]] std::span<const Entry> blocks() const { return blocks_; }
  [[nodiscard]] std::span<const Row> tail() const { return tail_.rows(); }

  [[nodiscard]] bool in_tail(std::uint64_t row) const { return row >= tail_row(); }
  // REQUIRES: in_tail(row).
  [[nodiscard]] const Row& tail_at(std::uint64_t row) const { return tail_[row - tail_row()]; }
  // REQUIRES: the row is in the sequence and not in the tail.
  [[nodiscard]] std::size_t block_of(std::uint64_t row) const { return row / kBlockRows - first_block_; }
  [[nodiscard]] const Entry& entry_of(std::uint64_t row) const { return blocks_[block_of(row)]; }
  // Returns the block, and loads it if it is not in memory. This may read the file on the caller's thread.
  [[nodiscard]] BlockPin<Block> block(std::size_t index) const {
    const Entry& entry = blocks_[index];
    if (entry.block != nullptr) return BlockPin<Block>(*entry.block);
    return BlockPin<Block>(source_->load(first_block_ + index));
  }
  [[nodiscard]] BlockPin<Block> block_with(std::uint64_t row) const { return block(block_of(row)); }
  // Never waits for the file. Returns null if the block is not in memory, and then asks the source to load
  // the block.
  [[nodiscard]] BlockPin<Block> block_if_here(std::size_t index) const {
    const Entry& entry = blocks_[index];
    if (entry.block != nullptr) return BlockPin<Block>(*entry.block);
    return BlockPin<Block>(source_->if_here(first_block_ + index));
  }
  // The number of evicted blocks. The source also counts the evicted blocks when it numbers blocks. Therefore
  // first_block() is also the source's number of block 0 of this sequence.
  [[nodiscard]] std::uint64_t first_block() const { return first_block_; }
  [[nodiscard]] static std::size_t index_in_block(std::uint64_t row) { return row % kBlockRows; }
  [[nodiscard]] std::uint64_t first_row_of(std::size_t block) const {
    return (first_block_ + block) * kBlockRows;
  }

  // Adds blocks that stay in the file. `source` loads them by number: block i of the sequence has the number
  // i and the summary summaries[i]. REQUIRES: the sequence is empty and has evicted nothing.
  void adopt(std::shared_ptr<const BlockSource<Block>> source, std::span<const Summary> summaries) {
    RUNAHEAD_CHECK(empty() && first_block_ == 0);
    source_ = std::move(source);
    blocks_.reserve(summaries.size());
    for (const Summary& summary : summaries) blocks_.push_back({summary, nullptr});
    blocks_bytes_ = blocks_.size() * sizeof(Entry);
  }

  // Appends a row. Returns true if the row filled the tail, so that the tail became a sealed block.
  bool push_back(const Row& row) {
    tail_.push_back(row, kBlockRows);
    if (tail_.size() < kBlockRows) return false;
    auto block = std::make_shared<const Block>(tail_.rows());
    const Summary summary = block->summary();
    blocks_.push_back({summary, std::move(block)});
    blocks_bytes_ += size_bytes_of(blocks_.back());
    tail_.clear();
    return true;
  }
  // For each block, appends to `out` the time from which the block can be evicted. The times never decrease,
  // so blocks are evicted in order. end_of(i) returns the end of block i. end_of(i) returns nullopt if block
  // i and all later blocks cannot be evicted yet.
  template <typename EndOf>
  void add_ends(std::vector<BlockEnd>& out, EndOf end_of) const {
    Timestamp latest = timestamp_from_ns(INT64_MIN);
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      const std::optional<Timestamp> end = end_of(i);
      if (!end) return;
      latest = std::max(latest, *end);
      out.push_back({latest, size_bytes_of(blocks_[i])});
    }
  }
  // Does the same for blocks whose summary contains the block's end. `end` points to that member of the
  // summary.
  void add_ends(std::vector<BlockEnd>& out, Timestamp Summary::*end) const {
    add_ends(out, [&](std::size_t block) { return blocks_[block].summary.*end; });
  }
  // Counts the blocks that end before `t`, from the start of the sequence. Stops at the first block that ends
  // at or after `t`.
  [[nodiscard]] std::size_t ending_before(Timestamp t, Timestamp Summary::*end) const {
    std::size_t count = 0;
    while (count < blocks_.size() && blocks_[count].summary.*end < t) ++count;
    return count;
  }
  // Evicts the first `count` blocks. Returns the number of evicted rows.
  std::uint64_t evict(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) blocks_bytes_ -= size_bytes_of(blocks_[i]);
    blocks_.erase(blocks_.begin(), blocks_.begin() + static_cast<std::ptrdiff_t>(count));
    first_block_ += count;
    return count * kBlockRows;
  }
  // Removes row `end_row` and all later rows. Copies of the sequence do not change. REQUIRES: end_row in
  // [first_row(), end_row()].
  void truncate(std::uint64_t end_row) requires requires(const Block& block) { block.row(0); }
  {
    std::vector<Row> kept;
    for (std::uint64_t row = std::min(end_row, tail_row()) / kBlockRows * kBlockRows; row < end_row; ++row) {
      kept.push_back(in_tail(row) ? tail_at(row) : block_with(row)->row(index_in_block(row)));
    }
    tail_.clear();
    while (tail_row() > end_row) {
      blocks_bytes_ -= size_bytes_of(blocks_.back());
      blocks_.pop_back();
    }
    for (const Row& row : kept) tail_.push_back(row, kBlockRows);
  }
  [[nodiscard]] std::size_t size_bytes() const { return blocks_bytes_ + tail_.size_bytes(); }

  // The first row at or after `hint` for which a predicate is true; end_row() if there is none. The predicate
  // must be false for the first rows and true for all later rows. The caller passes it in three forms:
  // last_holds(entry) for the last row of a block, row_holds(block, i) for row i of a block, and
  // tail_holds(row) for a row of the tail. REQUIRES: first_row() <= hint <= end_row().
  template <typename LastHolds, typename RowHolds, typename TailHolds>
  [[nodiscard]] std::uint64_t first_where(std::uint64_t hint, LastHolds last_holds, RowHolds row_holds,
                                          TailHolds tail_holds) const {
    if (!in_tail(hint)) {
      const std::size_t from = block_of(hint);
      const std::size_t found =
          gallop(from, blocks_.size(), [&](std::size_t b) { return last_holds(blocks_[b]); });
      if (found < blocks_.size()) {
        const BlockPin<Block> pin = block(found);
        const std::size_t first = found == from ? index_in_block(hint) : 0;
        return first_row_of(found) +
               gallop(first, kBlockRows, [&](std::size_t i) { return row_holds(*pin, i); });
      }
      hint = tail_row();
    }
    const std::size_t first = hint - tail_row();
    return tail_row() + gallop(first, tail_.size(), [&](std::size_t i) { return tail_holds(tail_[i]); });
  }

 private:
  [[nodiscard]] static std::size_t size_bytes_of(const Entry& entry) {
    return sizeof(Entry) + (entry.block != nullptr ? entry.block->size_bytes() : 0);
  }

  std::vector<Entry> blocks_;
  std::shared_ptr<const BlockSource<Block>> source_;  // loads the blocks that are not in memory
  SharedTail<Row> tail_;
  std::uint64_t first_block_ = 0;  // number of blocks evicted before blocks_[0]
  std::size_t blocks_bytes_ = 0;
};

// A block of unpacked rows, for a sequence with few rows or with rows that do not pack well.
template <typename T>
class PlainBlock {
 public:
  using Row = T;
  struct Summary {};
  explicit PlainBlock(std::span<const T> rows) : rows_(rows.begin(), rows.end()) {}
  [[nodiscard]] Summary summary() const { return {}; }
  [[nodiscard]] const T& row(std::size_t i) const { return rows_[i]; }
  [[nodiscard]] std::size_t size_bytes() const { return sizeof *this + rows_.size() * sizeof(T); }

 private:
  std::vector<T> rows_;
};

// An append-only vector whose copies share their elements.
template <typename T>
class SharedVector {
 public:
  [[nodiscard]] std::uint64_t size() const { return rows_.end_row(); }
  [[nodiscard]] const T& operator[](std::uint64_t i) const {
    if (rows_.in_tail(i)) return rows_.tail_at(i);
    return rows_.entry_of(i).block->row(rows_.index_in_block(i));
  }
  void push_back(const T& value) { rows_.push_back(value); }
  [[nodiscard]] std::size_t size_bytes() const { return rows_.size_bytes(); }

 private:
  BlockSequence<PlainBlock<T>> rows_;
};

}  // namespace runahead::trace
