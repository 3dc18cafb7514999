// InstantTable: instants sorted by time. Copies share, as of Lane.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "instrumentation/trace/block_sequence.h"
#include "instrumentation/trace/slice.h"

namespace runahead::trace {

class InstantTable {
 public:
  // `rows` sorted by time. Those before the last one here (another source's, or late) are put in their place,
  // which costs a copy of what comes after them.
  void append(std::span<const Instant> rows);
  [[nodiscard]] std::uint64_t size() const { return rows_.size(); }
  [[nodiscard]] const Instant& row(std::uint64_t index) const;  // REQUIRES: < size()
  [[nodiscard]] std::uint64_t first_from(Timestamp t) const;    // O(log n)
  [[nodiscard]] std::optional<Timestamp> oldest_block_end() const;
  std::uint64_t let_go_before(Timestamp t);
  [[nodiscard]] std::size_t size_bytes() const { return rows_.size_bytes(); }

 private:
  void insert(std::span<const Instant> rows);

  BlockSequence<PlainBlock<Instant>> rows_;
};

}  // namespace runahead::trace
