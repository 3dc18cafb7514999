// SliceLod: a level of detail (LOD) of a lane: bins, each of which summarises consecutive slices. The
// SliceLods in a recording file have one bin for every kLodBinRows slices. If a block is only a few pixels
// wide, a view draws these bins instead of the slices. In the file the bins take about 2 % of the slices'
// bytes.
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
// The number of blocks that a SliceLod in a file covers. The last SliceLod of a lane may cover fewer blocks.
inline constexpr std::size_t kLodBlocks = 32;
struct LodBin {
  Timestamp begin{}, end{};  // begin of the bin's first slice, end of the bin's last slice
  std::int64_t busy_ns = 0;  // sum of durations, modulo 2^64
  std::int64_t longest_ns = 0;
  std::uint32_t longest_index = 0;  // index of the longest slice in the bin; on a tie the earliest slice
  SliceLook longest;
  friend bool operator==(const LodBin&, const LodBin&) = default;
};

// Consecutive bins. All data of a bin is adjacent in memory, because a fold (fold.h) visits few bins of many
// SliceLods. The fold spends most of its time on cache misses, and adjacent data causes fewer cache misses.
class SliceLod {
 public:
  SliceLod() = default;
  explicit SliceLod(std::span<const LodBin> bins);

  struct Longest {
    std::uint32_t index = 0;  // index of the longest slice in its bin
    SliceLook look;
  };
  [[nodiscard]] std::size_t size() const { return bins_.size() - 1; }
  [[nodiscard]] std::int64_t begin_ns(std::size_t i) const { return bins_[i].begin_ns; }
  [[nodiscard]] std::int64_t end_ns(std::size_t i) const { return bins_[i].end_ns; }
  [[nodiscard]] std::int64_t longest_ns(std::size_t i) const { return bins_[i].longest_ns; }
  [[nodiscard]] const Longest& longest(std::size_t i) const { return bins_[i].longest; }
  // Sum of the durations in bins [first, last), modulo 2^64.
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
  // Has one extra bin at the end. Its busy_before_ns is the sum of the durations in all bins.
  std::vector<Bin> bins_ = std::vector<Bin>(1);
};

// Combines the slices into one bin. REQUIRES: `rows` is not empty; the slices are sorted and disjoint.
[[nodiscard]] LodBin bin_of(std::span<const Slice> rows);
// The summary of kBlockRows slices. busy_before_ns is 0, because the earlier slices of the lane are not known
// here.
[[nodiscard]] SliceBlock::Summary summary_of(std::span<const Slice> rows);
// The coarsest level of detail of a lane, also called far: it has one bin for every kLodBlocks blocks.
// `busy_ns` is the sum of all durations in the blocks.
[[nodiscard]] SliceLod lod_of(std::span<const SliceBlock::Summary> blocks, std::int64_t busy_ns);
[[nodiscard]] std::shared_ptr<const SliceBlock> pack(std::span<const Slice> rows,
                                                     std::int64_t busy_before_ns);

// A finer level of detail of one block: bins of at most kRows rows. A bin also ends at every gap or slice
// that takes at least 1/kCut of the block's time. The shortest time that a view can distinguish is called a
// span. If the view shows the block narrower than kCut spans, these bins are enough. The rows are needed only
// if the block is wider. A FineLod is not in the file; it is computed from the rows. It takes a fraction of
// the rows' bytes and is contiguous in memory.
class FineLod {
 public:
  static constexpr std::size_t kRows = 32;
  static constexpr std::int64_t kCut = 64;

  // REQUIRES: kBlockRows rows with times that a recording allows: within 2^61 ns of 0.
  explicit FineLod(std::span<const Slice> rows);

  [[nodiscard]] const SliceLod& bins() const { return bins_; }
  // The first row of the bin, as its index in the block. For bin == bins().size(): kBlockRows.
  [[nodiscard]] std::size_t first_row(std::size_t bin) const { return first_rows_[bin]; }
  // The bin whose first row is `row`. REQUIRES: `row` is a multiple of kRows.
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

// Loads the blocks of a lane's slices, and their levels of detail.
class LaneSource : public BlockSource<SliceBlock> {
 public:
  // LOD `number` covers kLodBlocks blocks, from block number * kLodBlocks on. Never waits. Null: the LOD is
  // not in memory; the call requests it. Empty: the file has no readable LOD for these blocks.
  [[nodiscard]] virtual std::shared_ptr<const SliceLod> lod_if_here(std::uint64_t number) const = 0;
  // The FineLod of block `number`. Never waits. Null: the FineLod is not in memory; the call requests it.
  [[nodiscard]] virtual std::shared_ptr<const FineLod> fine_if_here(std::uint64_t number) const = 0;
};

}  // namespace runahead::trace
