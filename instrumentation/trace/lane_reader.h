// LaneReader: reads the rows of a lane one after another. It pins the current block (keeps it in memory), so
// that it does not have to find and load the block again for each row.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "instrumentation/trace/lane.h"
#include "instrumentation/trace/row_reader.h"

namespace runahead::trace {

// One thread at a time may use a LaneReader. The lane must outlive it and must not change. A copy of a
// LaneReader pins the same block.
class LaneReader {
 public:
  explicit LaneReader(const Lane& lane) : lane_(&lane) {}

  // REQUIRES: the lane has `row`.
  [[nodiscard]] Slice slice(std::uint64_t row) {
    const BlockSequence<SliceBlock>& rows = lane_->sequence();
    if (rows.in_tail(row)) return rows.tail_at(row).slice;
    return block_with(row).slice(rows.index_in_block(row));
  }
  // Never waits. nullopt: the row's block is not in memory; the call requests it.
  [[nodiscard]] std::optional<Slice> slice_if_here(std::uint64_t row) {
    const BlockSequence<SliceBlock>& rows = lane_->sequence();
    if (rows.in_tail(row)) return rows.tail_at(row).slice;
    const SliceBlock* const block = block_.get_if_here(rows, rows.block_of(row));
    if (block == nullptr) return std::nullopt;
    return block->slice(rows.index_in_block(row));
  }
  [[nodiscard]] TimeRange times(std::uint64_t row) {
    const BlockSequence<SliceBlock>& rows = lane_->sequence();
    if (rows.in_tail(row)) return {rows.tail_at(row).slice.begin, rows.tail_at(row).slice.end};
    const SliceBlock& block = block_with(row);
    const std::size_t i = rows.index_in_block(row);
    const std::int64_t begin_ns = block.begin_ns(i);
    return {timestamp_from_ns(begin_ns), timestamp_from_ns(begin_ns + block.duration_ns(i))};
  }
  // Returns what Lane::next_of_kinds() returns.
  [[nodiscard]] std::uint64_t next_of_kinds(SliceKinds kinds, std::uint64_t first, std::uint64_t last) {
    const BlockSequence<SliceBlock>& rows = lane_->sequence();
    const bool here = first < last && !rows.in_tail(first) && block_.holds(rows.block_of(first));
    if (!here) return lane_->next_of_kinds(kinds, first, last);
    const std::uint64_t block_first = first - rows.index_in_block(first);
    const std::uint64_t stop = std::min(last, block_first + kBlockRows);
    const std::uint64_t found =
        block_first + block_with(first).next_of_kinds(kinds, first - block_first, stop - block_first);
    return found < stop || stop == last ? found : lane_->next_of_kinds(kinds, stop, last);
  }

 private:
  [[nodiscard]] const SliceBlock& block_with(std::uint64_t row) {
    return block_.get(lane_->sequence(), lane_->sequence().block_of(row));
  }

  const Lane* lane_;
  HeldBlock<SliceBlock> block_;
};

}  // namespace runahead::trace
