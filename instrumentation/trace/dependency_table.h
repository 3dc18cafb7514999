// DependencyTable: the dependencies between ops, in the order of arrival, packed. A row can be found by
// either of its two ops. Copies share their blocks, like copies of a Lane.
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

class DependencyBlock {
 public:
  using Row = Dependency;
  struct Summary {
    std::uint64_t min_op = 0, max_op = 0;
    std::uint64_t min_on = 0, max_on = 0;
    Timestamp last{};
    friend bool operator==(const Summary&, const Summary&) = default;
  };
  [[nodiscard]] static Summary summary_of(std::span<const Dependency> rows);
  explicit DependencyBlock(std::span<const Dependency> rows);
  [[nodiscard]] Summary summary() const { return summary_; }
  [[nodiscard]] Dependency row(std::size_t i) const;
  // Calls found(row) for each row whose `op` is `id`. O(log n).
  template <typename Found>
  void rows_of_op(OpId id, Found found) const {
    const auto [first, last] = by_op_.find(raw(id), [this](std::size_t i) { return op_at(i); });
    for (std::size_t position = first; position < last; ++position) found(row(by_op_.row(position)));
  }
  // Calls found(row) for each row whose `on` is `id`. O(n): there is no index for this search. Users rarely
  // make this search, and an index would cost time and memory for each row.
  template <typename Found>
  void rows_on(OpId id, Found found) const {
    for (std::size_t i = 0; i < packed_.size(); ++i) {
      if (on_at(i) == raw(id)) found(row(i));
    }
  }
  [[nodiscard]] std::size_t size_bytes() const {
    return sizeof *this + packed_.packed_bytes() + by_op_.size_bytes();
  }

 private:
  [[nodiscard]] std::uint64_t op_at(std::size_t i) const {
    return static_cast<std::uint64_t>(packed_.packed<&Dependency::op>(i));
  }
  [[nodiscard]] std::uint64_t on_at(std::size_t i) const {
    return op_at(i) - static_cast<std::uint64_t>(packed_.packed<&Dependency::on>(i));
  }
  PackedRows<Dependency> packed_;
  IdOrder by_op_;
  Summary summary_;
};

class DependencyTable {
 public:
  void append(std::span<const Dependency> rows);
  void adopt(const StoredBlocks<DependencyBlock>& blocks);  // REQUIRES: empty
  [[nodiscard]] std::uint64_t size() const { return rows_.size(); }
  [[nodiscard]] Dependency row(std::uint64_t index) const;  // REQUIRES: < size()
  // of_op() finds the ops on which `op` depends; on_op() finds the ops that depend on `op`. Both clear `out`,
  // put the first `limit` rows that match into it, and return the number of all rows that match.
  // of_op() costs O(log n) for each block that may contain rows of `op`. There are few such blocks, because
  // op ids grow with time. on_op() reads each block in which an op may depend on `op`. Usually there are few
  // such blocks too. If all ops depend on one old op, on_op(that op) reads all blocks, which takes about 1 ms
  // per thousand blocks. With `most_blocks`, on_op() starts at the first block whose rows can be of `op` or
  // of later ops, and reads at most so many blocks and the newest rows. If it leaves out a block, it returns
  // one more than the number of rows that it found.
  std::uint64_t of_op(OpId op, std::size_t limit, std::vector<Dependency>& out) const;
  std::uint64_t on_op(OpId op, std::size_t limit, std::vector<Dependency>& out,
                      std::optional<std::size_t> most_blocks = {}) const;
  void add_block_ends(std::vector<BlockEnd>& out) const;
  std::uint64_t evict_before(Timestamp t);
  [[nodiscard]] std::size_t size_bytes() const { return rows_.size_bytes() + bounds_.size_bytes(); }

 private:
  BlockSequence<DependencyBlock> rows_;
  IdBounds bounds_;  // per block, the bounds of the ids in Dependency::op
};

}  // namespace runahead::trace
