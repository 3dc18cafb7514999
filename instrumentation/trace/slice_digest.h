// SliceDigest: what the slices of a few blocks look like from afar, a cell for each kCellRows of them. A
// view in which a block is some pixels wide is drawn from cells: they take some 2 % of the slices' bytes in
// the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "instrumentation/trace/block_source.h"
#include "instrumentation/trace/slice_block.h"

namespace runahead::trace {

inline constexpr std::size_t kCellRows = 128;
inline constexpr std::size_t kCellsPerBlock = kBlockRows / kCellRows;
inline constexpr std::size_t kDigestBlocks = 32;  // in a digest; the last one of a lane may have fewer

struct SliceCell {
  Timestamp begin{}, end{};  // of the first and the last of its slices
  std::int64_t busy_ns = 0;  // sum of durations, modulo 2^64
  std::int64_t longest_ns = 0;
  std::uint32_t longest_index = 0;  // in the cell; the earliest of equals
  SliceLook longest;
  friend bool operator==(const SliceCell&, const SliceCell&) = default;
};

// Cells in a row, by columns: a fold looks at all begins and ends, and at little else.
class SliceDigest {
 public:
  SliceDigest() = default;
  explicit SliceDigest(std::span<const SliceCell> cells);

  struct Longest {
    std::uint32_t index = 0;  // in its cell
    SliceLook look;
  };
  [[nodiscard]] std::size_t size() const { return begin_ns_.size(); }
  [[nodiscard]] std::int64_t begin_ns(std::size_t i) const { return begin_ns_[i]; }
  [[nodiscard]] std::int64_t end_ns(std::size_t i) const { return end_ns_[i]; }
  [[nodiscard]] std::int64_t longest_ns(std::size_t i) const { return longest_ns_[i]; }
  [[nodiscard]] const Longest& longest(std::size_t i) const { return longest_[i]; }
  // Of cells [first, last), modulo 2^64.
  [[nodiscard]] std::int64_t busy_ns(std::size_t first, std::size_t last) const {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(busy_before_ns_[last]) -
                                     static_cast<std::uint64_t>(busy_before_ns_[first]));
  }
  [[nodiscard]] std::size_t size_bytes() const {
    return sizeof *this + size() * (4 * sizeof(std::int64_t) + sizeof(Longest));
  }

 private:
  std::vector<std::int64_t> begin_ns_, end_ns_, longest_ns_;
  std::vector<std::int64_t> busy_before_ns_;  // one more: of all
  std::vector<Longest> longest_;
};

// REQUIRES: not empty, sorted, disjoint.
[[nodiscard]] SliceCell cell_of(std::span<const Slice> rows);
// The same of kBlockRows slices; busy_before_ns is 0.
[[nodiscard]] SliceBlock::Summary summary_of(std::span<const Slice> rows);
// What blocks look like from afar, a cell for each kDigestBlocks of them.
[[nodiscard]] SliceDigest digest_of(std::span<const SliceBlock::Summary> blocks, std::int64_t busy_ns);
[[nodiscard]] std::shared_ptr<const SliceBlock> pack(std::span<const Slice> rows,
                                                     std::int64_t busy_before_ns);

// Blocks of a lane's slices, and digests of them.
class LaneSource : public BlockSource<SliceBlock> {
 public:
  // Digest `number` is of the blocks from number * kDigestBlocks on. Never waits: null where it is not here,
  // which is noted as wanted. Empty: there is none in the file that can be read.
  [[nodiscard]] virtual std::shared_ptr<const SliceDigest> digest_if_here(std::uint64_t number) const = 0;
};

}  // namespace runahead::trace
