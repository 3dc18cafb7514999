// FlowTable: flows in the order of arrival, packed. Flows can be found by op, or by track and time. Copies
// share their blocks, like copies of a Lane.
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

class FlowBlock {
 public:
  using Row = Flow;
  struct Summary {
    std::uint64_t min_op = 0, max_op = 0;
    Timestamp first{}, last{};  // earliest and latest time at which a flow of the block begins or ends
    friend bool operator==(const Summary&, const Summary&) = default;
  };
  [[nodiscard]] static Summary summary_of(std::span<const Flow> rows);
  explicit FlowBlock(std::span<const Flow> rows);
  [[nodiscard]] Summary summary() const { return summary_; }
  [[nodiscard]] Flow row(std::size_t i) const;
  // Calls found(i) for each row of the op; i is the index of the row in the block.
  template <typename Found>
  void rows_of_op(OpId op, Found found) const {
    const auto id_at = [this](std::size_t i) {
      return static_cast<std::uint64_t>(packed_.packed<&Flow::op>(i));
    };
    const auto [first, last] = order_.find(raw(op), id_at);
    for (std::size_t position = first; position < last; ++position) found(order_.row(position));
  }
  [[nodiscard]] std::size_t size_bytes() const {
    return sizeof *this + packed_.packed_bytes() + order_.size_bytes();
  }

 private:
  PackedRows<Flow> packed_;
  IdOrder order_;
  Summary summary_;
};

class FlowTable {
 public:
  void append(std::span<const Flow> rows);
  void adopt(const StoredBlocks<FlowBlock>& blocks);  // REQUIRES: empty
  [[nodiscard]] std::uint64_t size() const { return rows_.size(); }
  [[nodiscard]] Flow row(std::uint64_t index) const;  // REQUIRES: < size()
  // of_op() finds the flows of an op. touching() finds the flows that leave or enter `track` at a time in
  // `range`. Both functions clear `out`, put the first `limit` flows that match into it, and return the
  // number of all flows that match.
  std::uint64_t of_op(OpId op, std::size_t limit, std::vector<Flow>& out) const;
  std::uint64_t touching(TrackId track, TimeRange range, std::size_t limit, std::vector<Flow>& out) const;
  void add_block_ends(std::vector<BlockEnd>& out) const;
  std::uint64_t evict_before(Timestamp t);
  [[nodiscard]] std::size_t size_bytes() const { return rows_.size_bytes() + bounds_.size_bytes(); }

 private:
  BlockSequence<FlowBlock> rows_;
  IdBounds bounds_;
};

}  // namespace runahead::trace
