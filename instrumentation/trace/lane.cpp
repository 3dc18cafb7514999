#include "instrumentation/trace/lane.h"

#include <algorithm>
#include <utility>

#include "instrumentation/base/check.h"

namespace runahead::trace {

Lane::Lane() = default;
Lane::Lane(const Lane&) = default;
Lane& Lane::operator=(const Lane&) = default;
Lane::Lane(Lane&&) noexcept = default;
Lane& Lane::operator=(Lane&&) noexcept = default;
Lane::~Lane() = default;

std::uint64_t Lane::first_row() const { return rows_.first_row(); }
std::uint64_t Lane::end_row() const { return rows_.end_row(); }
std::size_t Lane::size_bytes() const { return rows_.size_bytes(); }

Slice Lane::slice(std::uint64_t row) const {
  if (rows_.in_tail(row)) return rows_.tail_at(row).slice;
  return rows_.block_with(row)->slice(rows_.index_in_block(row));
}

Timestamp Lane::begin(std::uint64_t row) const {
  if (rows_.in_tail(row)) return rows_.tail_at(row).slice.begin;
  const auto& entry = rows_.entry_of(row);
  const std::size_t i = rows_.index_in_block(row);
  if (entry.block != nullptr) return timestamp_from_ns(entry.block->begin_ns(i));
  if (i == 0) return entry.summary.begin;  // no need to read the block
  if (i == kBlockRows - 1) return entry.summary.last_begin;
  return timestamp_from_ns(rows_.block_with(row)->begin_ns(i));
}

Timestamp Lane::end(std::uint64_t row) const {
  if (rows_.in_tail(row)) return rows_.tail_at(row).slice.end;
  const auto& entry = rows_.entry_of(row);
  const std::size_t i = rows_.index_in_block(row);
  if (entry.block != nullptr) return timestamp_from_ns(entry.block->end_ns(i));
  if (i == kBlockRows - 1) return entry.summary.end;  // no need to read the block
  return timestamp_from_ns(rows_.block_with(row)->end_ns(i));
}

std::uint64_t Lane::first_row_ending_after(Timestamp t) const {
  return first_row_ending_after(t, first_row());
}

std::uint64_t Lane::first_row_ending_after(Timestamp t, std::uint64_t from_row) const {
  return rows_.first_where(
      from_row, [t](const auto& entry) { return entry.summary.end > t; },
      [t](const SliceBlock& block, std::size_t i) { return block.end_ns(i) > ns_from(t); },
      [t](const SliceRow& row) { return row.slice.end > t; });
}

std::uint64_t Lane::first_row_beginning_from(Timestamp t) const {
  return first_row_beginning_from(t, first_row());
}

std::uint64_t Lane::first_row_beginning_from(Timestamp t, std::uint64_t from_row) const {
  return rows_.first_where(
      from_row, [t](const auto& entry) { return entry.summary.last_begin >= t; },
      [t](const SliceBlock& block, std::size_t i) { return block.begin_ns(i) >= ns_from(t); },
      [t](const SliceRow& row) { return row.slice.begin >= t; });
}

std::int64_t Lane::busy_before_ns(std::uint64_t row) const {
  if (row == end_row()) return busy_ns_;
  if (rows_.in_tail(row)) return rows_.tail_at(row).busy_before_ns;
  const auto& entry = rows_.entry_of(row);
  const std::size_t i = rows_.index_in_block(row);
  if (i == 0) return entry.summary.busy_before_ns;
  return entry.summary.busy_before_ns + rows_.block_with(row)->busy_before_ns(i);
}

Duration Lane::busy(std::uint64_t first, std::uint64_t last) const {
  if (first >= last) return Duration{0};
  const auto before_last = static_cast<std::uint64_t>(busy_before_ns(last));
  return Duration{static_cast<std::int64_t>(before_last - static_cast<std::uint64_t>(busy_before_ns(first)))};
}

std::uint64_t Lane::longest_row(std::uint64_t first, std::uint64_t last) const {
  RUNAHEAD_CHECK_OP(first, <, last);
  std::int64_t longest_ns = -1;
  std::uint64_t longest = first;
  const std::uint64_t packed_last = std::min(last, rows_.tail_row());
  std::uint64_t row = first;
  while (row < packed_last) {
    const auto& entry = rows_.entry_of(row);
    const std::uint64_t block_first = row - rows_.index_in_block(row);
    const std::uint64_t stop = std::min(packed_last, block_first + kBlockRows);
    SliceBlock::Longest found{entry.summary.longest_ns, entry.summary.longest_index};
    const bool whole = row == block_first && stop == block_first + kBlockRows;
    if (!whole) found = rows_.block_with(row)->longest(row - block_first, stop - block_first);
    if (found.duration_ns > longest_ns) {
      longest_ns = found.duration_ns;
      longest = block_first + found.index;
    }
    row = stop;
  }
  for (; row < last; ++row) {
    const std::int64_t duration_ns = ns_from(rows_.tail_at(row).slice.duration());
    if (duration_ns <= longest_ns) continue;
    longest_ns = duration_ns;
    longest = row;
  }
  return longest;
}

std::uint64_t Lane::next_of_kinds(SliceKinds kinds, std::uint64_t first, std::uint64_t last) const {
  const std::uint64_t packed_last = std::min(last, rows_.tail_row());
  std::uint64_t row = first;
  while (row < packed_last) {
    const auto& entry = rows_.entry_of(row);
    const std::uint64_t block_first = row - rows_.index_in_block(row);
    const std::uint64_t stop = std::min(packed_last, block_first + kBlockRows);
    if ((entry.summary.kinds & kinds) != 0) {
      const std::uint64_t found =
          block_first + rows_.block_with(row)->next_of_kinds(kinds, row - block_first, stop - block_first);
      if (found < stop) return found;
    }
    row = stop;
  }
  for (; row < last; ++row) {
    if ((kinds_of(rows_.tail_at(row).slice.kind) & kinds) != 0) return row;
  }
  return last;
}

void Lane::adopt(std::shared_ptr<const LaneSource> source, std::span<const SliceBlock::Summary> summaries,
                 Duration busy) {
  source_ = source;
  far_view_ = std::make_shared<const SliceLod>(lod_of(summaries, busy.count()));
  rows_.adopt(std::move(source), summaries);
  busy_ns_ = busy.count();
}

void Lane::append(std::span<const Slice> rows) {
  if (rows.empty()) return;
  if (!empty()) RUNAHEAD_CHECK(rows.front().begin >= end(end_row() - 1));
  Timestamp last_end = rows.front().begin;
  for (const Slice& slice : rows) {
    RUNAHEAD_CHECK(slice.begin >= last_end && slice.end >= slice.begin);  // invariant 1: sorted, disjoint
    last_end = slice.end;
    const SliceRow row{slice, busy_ns_};
    const auto duration_ns = static_cast<std::uint64_t>(ns_from(slice.duration()));
    busy_ns_ = static_cast<std::int64_t>(static_cast<std::uint64_t>(busy_ns_) + duration_ns);
    rows_.push_back(row);
  }
}

std::uint64_t Lane::evict_before(Timestamp t) {
  return rows_.evict(rows_.ending_before(t, &SliceBlock::Summary::end));
}

void Lane::add_block_ends(std::vector<BlockEnd>& out) const {
  rows_.add_ends(out, &SliceBlock::Summary::end);
}

}  // namespace runahead::trace
