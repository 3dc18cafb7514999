// OpTable: the ended ops in the order of ending, packed. They can be found by id. Copies share their blocks,
// like copies of a Lane.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "instrumentation/trace/columns/block_sequence.h"
#include "instrumentation/trace/columns/id_order.h"
#include "instrumentation/trace/columns/row_packing.h"
#include "instrumentation/trace/rows/slice.h"

namespace runahead::trace {

class OpBlock {
 public:
  using Row = OpRow;
  struct Summary {
    std::uint64_t min_id = 0, max_id = 0;
    Timestamp last{};                   // the latest time in the block
    Timestamp first_end{}, last_end{};  // earliest and latest end; a lost end (kNever) counts as earliest
    Timestamp first_enqueue{};          // earliest enqueue time, or kNever
    friend bool operator==(const Summary&, const Summary&) = default;
  };
  [[nodiscard]] static Summary summary_of(std::span<const OpRow> rows);
  explicit OpBlock(std::span<const OpRow> rows);
  [[nodiscard]] Summary summary() const { return summary_; }
  [[nodiscard]] OpRow row(std::size_t i) const;
  [[nodiscard]] Timestamp ended(std::size_t i) const {
    return timestamp_from_ns(packed_.packed<&OpRow::ended>(i));
  }
  [[nodiscard]] std::optional<OpRow> find(OpId id) const;
  [[nodiscard]] std::size_t size_bytes() const {
    return sizeof *this + packed_.packed_bytes() + order_.size_bytes();
  }

 private:
  PackedRows<OpRow> packed_;
  IdOrder order_;
  Summary summary_;
};

class OpTable {
 public:
  void append(std::span<const OpRow> rows);
  void adopt(const StoredBlocks<OpBlock>& blocks);  // REQUIRES: empty
  [[nodiscard]] std::uint64_t size() const { return rows_.size(); }
  [[nodiscard]] OpRow row(std::uint64_t index) const;  // REQUIRES: < size()
  [[nodiscard]] std::uint64_t ended_in(TimeRange range) const;
  // Appends the ops enqueued by `t` that ended after `t`. Ops whose enqueue or end was lost are skipped.
  void in_flight_at(Timestamp t, std::vector<OpRow>& out) const;
  [[nodiscard]] std::optional<OpRow> find(OpId id) const;
  void add_block_ends(std::vector<BlockEnd>& out) const;
  std::uint64_t evict_before(Timestamp t);
  [[nodiscard]] std::size_t size_bytes() const { return rows_.size_bytes() + bounds_.size_bytes(); }

 private:
  BlockSequence<OpBlock> rows_;
  IdBounds bounds_;
};

}  // namespace runahead::trace
