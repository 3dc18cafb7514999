// SliceDigest: what the slices of a few blocks look like from afar, a cell for each kCellRows of them. A
// view in which a block is some pixels wide is drawn from cells: they take a fiftieth of the slices' bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "instrumentation/trace/block_source.h"
#include "instrumentation/trace/slice_block.h"

namespace runahead::trace {

inline constexpr std::size_t kCellRows = 32;
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

struct SliceDigest {
  std::vector<SliceCell> cells;  // kCellsPerBlock for each block; none where it could not be read
  [[nodiscard]] std::size_t size_bytes() const { return sizeof *this + cells.size() * sizeof(SliceCell); }
};

// REQUIRES: not empty, sorted, disjoint.
[[nodiscard]] SliceCell cell_of(std::span<const Slice> rows);
// The same of kBlockRows slices; busy_before_ns is 0.
[[nodiscard]] SliceBlock::Summary summary_of(std::span<const Slice> rows);
[[nodiscard]] std::shared_ptr<const SliceBlock> pack(std::span<const Slice> rows,
                                                     std::int64_t busy_before_ns);

// Blocks of a lane's slices, and digests of them.
class LaneSource : public BlockSource<SliceBlock> {
 public:
  // Digest `number` is of the blocks from number * kDigestBlocks on. Never waits: null where it is not here,
  // which is noted as wanted. Without cells: there is none in the file that can be read.
  [[nodiscard]] virtual std::shared_ptr<const SliceDigest> digest_if_here(std::uint64_t number) const = 0;
};

}  // namespace runahead::trace
