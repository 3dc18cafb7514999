// Lane: the slices at one nesting depth of a track. They are sorted and disjoint. They are stored as
// immutable blocks of packed columns plus a growing tail. A block stores each column in as few bytes as its
// values need (frame of reference), and has summaries, from which a view can draw many slices together
// (fold.h). Finished rows never change or move (invariant 1 in docs/architecture.md). The blocks of an opened
// recording stay in its file until they are needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "instrumentation/trace/columns/block_sequence.h"
#include "instrumentation/trace/columns/slice_block.h"
#include "instrumentation/trace/columns/slice_lod.h"
#include "instrumentation/trace/rows/slice.h"

namespace runahead::trace {

class Lane {
 public:
  Lane();

  // Rows are numbered from the first row ever appended. The lane has rows [first_row(), end_row()); earlier
  // rows were evicted. REQUIRES for every `row` parameter below: it is in that range.
  [[nodiscard]] std::uint64_t first_row() const;
  [[nodiscard]] std::uint64_t end_row() const;
  [[nodiscard]] std::uint64_t size() const { return end_row() - first_row(); }
  [[nodiscard]] bool empty() const { return size() == 0; }

  [[nodiscard]] Slice slice(std::uint64_t row) const;
  [[nodiscard]] Timestamp begin(std::uint64_t row) const;
  [[nodiscard]] Timestamp end(std::uint64_t row) const;

  // The first row that ends after `t` (the row that contains t, if there is one); end_row() if there is none.
  // O(log n).
  [[nodiscard]] std::uint64_t first_row_ending_after(Timestamp t) const;
  // The first row that begins at or after `t`; end_row() if there is none. O(log n).
  [[nodiscard]] std::uint64_t first_row_beginning_from(Timestamp t) const;
  // The same, but the search starts at `from_row`, which must not be after the result. O(log d) for a result
  // that is d rows after `from_row`.
  [[nodiscard]] std::uint64_t first_row_ending_after(Timestamp t, std::uint64_t from_row) const;
  [[nodiscard]] std::uint64_t first_row_beginning_from(Timestamp t, std::uint64_t from_row) const;
  // Sum of the durations of rows [first, last). O(1): blocks and groups store running sums.
  [[nodiscard]] Duration busy(std::uint64_t first, std::uint64_t last) const;
  // The row with the longest duration in [first, last); on a tie the earliest row. REQUIRES: first < last.
  [[nodiscard]] std::uint64_t longest_row(std::uint64_t first, std::uint64_t last) const;

  // The first row in [first, last) whose kind is in `kinds`; `last` if there is none. Blocks without such a
  // kind are skipped.
  [[nodiscard]] std::uint64_t next_of_kinds(SliceKinds kinds, std::uint64_t first, std::uint64_t last) const;

  // Adopts rows that stay in a file: blocks [0, summaries.size()) of `source`. `busy` is the sum of their
  // durations. REQUIRES: the lane is empty; the summaries are in order and their slices are disjoint.
  void adopt(std::shared_ptr<const LaneSource> source, std::span<const SliceBlock::Summary> summaries,
             Duration busy);
  // True if some rows may be only in a file, not in memory.
  [[nodiscard]] bool in_file() const { return source_ != nullptr; }
  // REQUIRES for source() and far_view(): in_file(). far_view() is the coarsest level of detail, with one bin
  // for every kLodBlocks adopted blocks.
  [[nodiscard]] const LaneSource& source() const { return *source_; }
  [[nodiscard]] const SliceLod& far_view() const { return *far_view_; }
  [[nodiscard]] const BlockSequence<SliceBlock>& sequence() const { return rows_; }

  // Appends rows in order. REQUIRES: the rows are sorted and disjoint; rows.front().begin >= the end of the
  // lane's last row.
  void append(std::span<const Slice> rows);
  // Evicts the blocks that end before `t`. Returns the number of evicted rows.
  std::uint64_t evict_before(Timestamp t);
  void add_block_ends(std::vector<BlockEnd>& out) const;
  [[nodiscard]] std::size_t size_bytes() const;

  // A copy shares every block and the tail's current rows. Later appends to the original do not change the
  // copy, and another thread may read the copy meanwhile. O(blocks).
  Lane(const Lane&);
  Lane& operator=(const Lane&);
  Lane(Lane&&) noexcept;
  Lane& operator=(Lane&&) noexcept;
  ~Lane();

 private:
  [[nodiscard]] std::int64_t busy_before_ns(std::uint64_t row) const;

  BlockSequence<SliceBlock> rows_;
  std::shared_ptr<const LaneSource> source_;
  std::shared_ptr<const SliceLod> far_view_;
  std::int64_t busy_ns_ = 0;  // sum of the durations of all rows ever appended, modulo 2^64
};

}  // namespace runahead::trace
