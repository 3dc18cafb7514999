// SliceLod: what the slices of a few blocks look like from afar, a cell for each kLodBinRows of them. A
// view in which a block is some pixels wide is drawn from cells: they take some 2 % of the slices' bytes in
// the file.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "instrumentation/trace/columns/block_source.h"
#include "instrumentation/trace/columns/slice_block.h"

namespace runahead::trace {

inline constexpr std::size_t kLodBinRows = 128;
inline constexpr std::size_t kLodBinsPerBlock = kBlockRows / kLodBinRows;
inline constexpr std::size_t kLodBlocks = 32;  // in a digest; the last one of a lane may have fewer
struct LodBin {
  Timestamp begin{}, end{};  // of the first and the last of its slices
  std::int64_t busy_ns = 0;  // sum of durations, modulo 2^64
  std::int64_t longest_ns = 0;
  std::uint32_t longest_index = 0;  // in the cell; the earliest of equals
  SliceLook longest;
  friend bool operator==(const LodBin&, const LodBin&) = default;
};

// Cells in a row. All of a cell lies side by side: a fold goes through few cells of many digests, and what it
// waits for is the memory.
class SliceLod {
 public:
  SliceLod() = default;
  explicit SliceLod(std::span<const LodBin> bins);

  struct Longest {
    std::uint32_t index = 0;  // in its cell
    SliceLook look;
  };
  [[nodiscard]] std::size_t size() const { return bins_.size() - 1; }
  [[nodiscard]] std::int64_t begin_ns(std::size_t i) const { return bins_[i].begin_ns; }
  [[nodiscard]] std::int64_t end_ns(std::size_t i) const { return bins_[i].end_ns; }
  [[nodiscard]] std::int64_t longest_ns(std::size_t i) const { return bins_[i].longest_ns; }
  [[nodiscard]] const Longest& longest(std::size_t i) const { return bins_[i].longest; }
  // Of cells [first, last), modulo 2^64.
  [[nodiscard]] std::int64_t busy_ns(std::size_t first, std::size_t last) const {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(bins_[last].busy_before_ns) -
                                     static_cast<std::uint64_t>(bins_[first].busy_before_ns));
  }
  [[nodiscard]] std::size_t size_bytes() const { return sizeof *this + bins_.size() * sizeof(Bin); }

 private:
  struct Bin {
    std::int64_t begin_ns = 0, end_ns = 0, longest_ns = 0, busy_before_ns = 0;
    Longest longest;
  };
  std::vector<Bin> bins_ = std::vector<Bin>(1);  // one more: its busy_before_ns is that of all
};

// REQUIRES: not empty, sorted, disjoint.
[[nodiscard]] LodBin bin_of(std::span<const Slice> rows);
// What all of kBlockRows slices look like; busy_before_ns is 0.
[[nodiscard]] SliceBlock::Summary summary_of(std::span<const Slice> rows);
// What blocks look like from afar, a cell for each kLodBlocks of them.
[[nodiscard]] SliceLod lod_of(std::span<const SliceBlock::Summary> blocks, std::int64_t busy_ns);
[[nodiscard]] std::shared_ptr<const SliceBlock> pack(std::span<const Slice> rows,
                                                     std::int64_t busy_before_ns);

// What the rows of one block look like from nearer: cells of at most kRows of them, cut wherever a gap or a
// slice takes kCut-th of the block, so that a view in which the block is narrower than kCut of what can be
// told apart needs no rows to show them. Not in the file but made of the rows: it keeps a fraction of their
// bytes, side by side.
class FineLod {
 public:
  static constexpr std::size_t kRows = 32;
  static constexpr std::int64_t kCut = 64;

  // REQUIRES: kBlockRows of them, as a recording may hold them: times within 2^61 ns of 0.
  explicit FineLod(std::span<const Slice> rows);

  [[nodiscard]] const SliceLod& bins() const { return bins_; }
  // In the block; of cells().size(): kBlockRows.
  [[nodiscard]] std::size_t first_row(std::size_t bin) const { return first_rows_[bin]; }
  // The cell that begins with the row. REQUIRES: a multiple of kRows.
  [[nodiscard]] std::size_t bin_from(std::size_t row) const {
    return static_cast<std::size_t>(std::lower_bound(first_rows_.begin(), first_rows_.end(), row) -
                                    first_rows_.begin());
  }
  [[nodiscard]] std::size_t size_bytes() const {
    return sizeof *this + bins_.size_bytes() + first_rows_.size() * sizeof(std::uint16_t);
  }

 private:
  SliceLod bins_;
  std::vector<std::uint16_t> first_rows_;
};

// Blocks of a lane's slices, and digests of them.
class LaneSource : public BlockSource<SliceBlock> {
 public:
  // Digest `number` is of the blocks from number * kLodBlocks on. Never waits: null where it is not here,
  // which is noted as wanted. Empty: there is none in the file that can be read.
  [[nodiscard]] virtual std::shared_ptr<const SliceLod> lod_if_here(std::uint64_t number) const = 0;
  // The fine digest of block `number`, likewise.
  [[nodiscard]] virtual std::shared_ptr<const FineLod> fine_if_here(std::uint64_t number) const = 0;
};

}  // namespace runahead::trace
