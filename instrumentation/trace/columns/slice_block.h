// SliceBlock: kBlockRows slices of one lane, sealed (immutable). The columns are packed. Every group of
// kGroupRows rows has a summary, which makes sums of durations and the search for the longest slice fast.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "instrumentation/trace/columns/row_packing.h"
#include "instrumentation/trace/rows/slice.h"

namespace runahead::trace {

// A slice in the tail of a lane, with the sum of the durations of all earlier slices of the lane (modulo
// 2^64).
struct SliceRow {
  Slice slice;
  std::int64_t busy_before_ns = 0;
};

// A set of slice kinds: one bit for each kind.
using SliceKinds = std::uint32_t;
[[nodiscard]] constexpr SliceKinds kinds_of(SliceKind kind) {
  return SliceKinds{1} << (static_cast<std::uint32_t>(kind) & 31);
}

// The properties that determine the colour and the text of a slice. Its times are stored elsewhere.
struct SliceLook {
  StringId name{};
  SliceKind kind = SliceKind::kZone;
  std::uint8_t flags = 0;
  OpId op = kNoOp;
  friend bool operator==(const SliceLook&, const SliceLook&) = default;
};
[[nodiscard]] inline SliceLook look_of(const Slice& slice) {
  return {slice.name, slice.kind, slice.flags, slice.op};
}

class SliceBlock {
 public:
  using Row = SliceRow;
  struct Summary {
    Timestamp begin{}, last_begin{}, end{};
    std::int64_t busy_before_ns = 0;  // sum of the durations of the lane's earlier slices, before this block
    std::int64_t longest_ns = 0;
    std::uint32_t longest_index = 0;
    SliceKinds kinds = 0;  // the kinds of the block's slices
    SliceLook longest;     // colour and text of the longest slice
    friend bool operator==(const Summary&, const Summary&) = default;
  };
  static constexpr std::size_t kGroupRows = 32;

  explicit SliceBlock(std::span<const SliceRow> rows);

  [[nodiscard]] Summary summary() const { return summary_; }
  [[nodiscard]] Slice slice(std::size_t i) const;
  [[nodiscard]] SliceLook look(std::size_t i) const;
  [[nodiscard]] std::int64_t begin_ns(std::size_t i) const { return packed_.packed<&Slice::begin>(i); }
  [[nodiscard]] std::int64_t duration_ns(std::size_t i) const { return packed_.packed<&Slice::end>(i); }
  [[nodiscard]] std::int64_t end_ns(std::size_t i) const { return begin_ns(i) + duration_ns(i); }
  // The sum of the durations of the block's rows before row i. For i == kBlockRows: of all rows.
  // O(kGroupRows).
  [[nodiscard]] std::int64_t busy_before_ns(std::size_t i) const;
  struct Longest {
    std::int64_t duration_ns = -1;
    std::size_t index = 0;
  };
  // The longest slice of rows [first, last); on a tie the earliest. O(groups + kGroupRows).
  [[nodiscard]] Longest longest(std::size_t first, std::size_t last) const;
  // The first row in [first, last) whose kind is in `kinds`; `last` if there is none.
  [[nodiscard]] std::size_t next_of_kinds(SliceKinds kinds, std::size_t first, std::size_t last) const;
  [[nodiscard]] std::size_t size_bytes() const { return sizeof *this + packed_.packed_bytes(); }

 private:
  static constexpr std::size_t kGroups = kBlockRows / kGroupRows;
  [[nodiscard]] SliceKind kind(std::size_t i) const {
    return static_cast<SliceKind>(packed_.packed<&Slice::kind>(i));
  }
  void widen(Longest& out, std::size_t first, std::size_t last) const;

  PackedRows<Slice> packed_;
  Summary summary_;
  std::array<std::int64_t, kGroups> group_busy_before_ns_{};
  std::array<std::uint16_t, kGroups> group_longest_{};
};

}  // namespace runahead::trace
