// AllocationTable: allocations in the order of arrival, in packed blocks. Copies of a table share its blocks,
// like copies of a Lane.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "instrumentation/trace/columns/block_sequence.h"
#include "instrumentation/trace/columns/row_packing.h"
#include "instrumentation/trace/rows/slice.h"

namespace runahead::trace {

// The approximate time when the row was written. Rows are evicted in the order of this time.
[[nodiscard]] inline Timestamp written_at(const Allocation& row) {
  return row.end != kNever ? row.end : row.begin;
}

class AllocationBlock {
 public:
  using Row = Allocation;
  struct Summary {
    Timestamp first{};  // the earliest begin
    Timestamp last{};   // the latest written_at()
    friend bool operator==(const Summary&, const Summary&) = default;
  };
  [[nodiscard]] static Summary summary_of(std::span<const Allocation> rows);
  explicit AllocationBlock(std::span<const Allocation> rows) : packed_(rows), summary_(summary_of(rows)) {}
  [[nodiscard]] Summary summary() const { return summary_; }
  [[nodiscard]] Allocation row(std::size_t i) const;
  [[nodiscard]] std::size_t size_bytes() const { return sizeof *this + packed_.packed_bytes(); }

 private:
  PackedRows<Allocation> packed_;
  Summary summary_;
};

class AllocationTable {
 public:
  void append(std::span<const Allocation> rows);
  void adopt(const StoredBlocks<AllocationBlock>& blocks);  // REQUIRES: empty
  [[nodiscard]] std::uint64_t size() const { return retained_live().size() + rows_.size(); }
  [[nodiscard]] bool empty() const { return size() == 0; }
  // Calls found(row) for all rows that begin at or before `until`. It may also pass rows that begin after
  // `until`, because it skips a block only if all rows of the block begin after `until`. First come the rows
  // of live allocations that evict_before() has kept, then the other rows in the order of arrival. Reads
  // blocks that are not in memory from the file.
  template <typename Found>
  void each(Timestamp until, Found found) const {
    for (const Allocation& row : retained_live()) found(row);
    for (std::size_t b = 0; b < rows_.blocks().size(); ++b) {
      if (rows_.blocks()[b].summary.first > until) continue;
      const BlockPin<AllocationBlock> block = rows_.block(b);
      for (std::size_t i = 0; i < kBlockRows; ++i) found(block->row(i));
    }
    for (const Allocation& row : rows_.tail()) found(row);
  }
  // Calls found(row) for all rows that were written at or after `from` (written_at()), in the order of
  // arrival. It may also pass earlier rows, because it skips whole blocks only. Does not pass the rows that
  // evict_before() has kept.
  template <typename Found>
  void each_written_from(Timestamp from, Found found) const {
    for (std::size_t b = 0; b < rows_.blocks().size(); ++b) {
      if (rows_.blocks()[b].summary.last < from) continue;
      const BlockPin<AllocationBlock> block = rows_.block(b);
      for (std::size_t i = 0; i < kBlockRows; ++i) found(block->row(i));
    }
    for (const Allocation& row : rows_.tail()) found(row);
  }
  // Returns row number `index`, counted in the order in which each() passes all rows. REQUIRES: index <
  // size().
  [[nodiscard]] Allocation row(std::uint64_t index) const;
  void add_block_ends(std::vector<BlockEnd>& out) const;
  // Evicts the blocks that end before `t`, and returns the number of evicted rows. If an allocation in these
  // blocks is still live, its row is kept separately. Therefore an allocation stays known even if it was made
  // at the start of the capture.
  std::uint64_t evict_before(Timestamp t);
  [[nodiscard]] std::size_t size_bytes() const {
    return rows_.size_bytes() + retained_live().size() * sizeof(Allocation);
  }

 private:
  [[nodiscard]] std::span<const Allocation> retained_live() const {
    return held_ == nullptr ? std::span<const Allocation>() : std::span<const Allocation>(*held_);
  }

  BlockSequence<AllocationBlock> rows_;
  // The rows that evict_before() has kept, because their allocations were still live.
  std::shared_ptr<const std::vector<Allocation>> held_;
};

}  // namespace runahead::trace
