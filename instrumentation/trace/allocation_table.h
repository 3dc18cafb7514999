// AllocationTable: allocations in the order of arrival, packed. Copies share their blocks, like copies of a
// Lane.
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
    Timestamp last{};   // the latest time
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
  // Calls found(row) in order for the rows that may have begun by `until`. Allocations that were live when
  // older rows were evicted come first. Reads the file for rows that are not in memory.
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
  // Row `index` in the order in which each() passes all rows. REQUIRES: < size().
  [[nodiscard]] Allocation row(std::uint64_t index) const;
  void add_block_ends(std::vector<BlockEnd>& out) const;
  // An evicted row of an allocation that was still live is kept separately. Therefore an allocation from the
  // start of the capture stays known.
  std::uint64_t evict_before(Timestamp t);
  [[nodiscard]] std::size_t size_bytes() const {
    return rows_.size_bytes() + retained_live().size() * sizeof(Allocation);
  }

 private:
  [[nodiscard]] std::span<const Allocation> retained_live() const {
    return held_ == nullptr ? std::span<const Allocation>() : std::span<const Allocation>(*held_);
  }

  BlockSequence<AllocationBlock> rows_;
  // The evicted rows of allocations that were still live when they were evicted.
  std::shared_ptr<const std::vector<Allocation>> held_;
};

}  // namespace runahead::trace
