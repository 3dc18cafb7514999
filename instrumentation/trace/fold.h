// Level of detail: what a lane or a counter looks like at this zoom, in time that depends on the pixels and
// not on the rows. Pure; any thread on a snapshot. Idea: Tracy's folding of zones under a few pixels.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "instrumentation/trace/counter_series.h"
#include "instrumentation/trace/lane.h"

namespace runahead::trace {

// What one or more slices look like at this zoom. row_count == 1 is one real slice, drawn with its name.
struct Run {
  Timestamp begin{}, end{};  // of the first and the last slice in it, not clipped to the range
  std::uint64_t first_row = 0;
  std::uint64_t row_count = 0;
  Duration busy{};  // sum of durations: busy / (end - begin) is the share of ink
  std::uint64_t longest_row = 0;
  SliceLook longest;    // how that one looks
  bool coarse = false;  // wide, and could be told apart; will be, once what it needs has been loaded
};

// Folds the slices of `lane` that meet `range` into runs: slices at least `min_px` wide stand alone; narrower
// neighbours that begin within one span of min_px become one run. Spans are fixed in time, not to the range's
// begin, so that a view that slides keeps its runs.
//   range     half-open, not empty; need not lie inside the lane
//   width_px  > 0, what `range` is drawn on
//   out       replaced; sorted, disjoint, at most 2 * width_px / min_px + 3; a slice of length zero is in one
//   too
// O(width_px * log n); allocates only to grow `out`.
//
// Where the lane's blocks are in a file this never waits for it. Rows that lie closer together than a span
// are taken by the cell or the block (slice_lod.h), so that the ends of a run may be off by less than a
// span; wider ones whose rows are not here are one run, and noted as wanted. O(blocks in range + cells of
// those wider than a span + rows of the cells wider than one).
void fold_lane(const Lane& lane, TimeRange range, int width_px, int min_px, std::vector<Run>& out);

// One per pixel column that has a value: exact extremes within the column, and the value at its end.
// Where the series' blocks are in a file this never waits for it: a block that lies in one column needs no
// rows; of one that lies in several and is not here, which is noted as wanted, each of them shows the block's
// extremes. So no extreme is ever missing, and all are where they belong once what is wanted has been loaded.
struct CounterColumn {
  int x_px = 0;
  double min = 0, max = 0, last = 0;
};
void fold_counter(const CounterSeries& series, TimeRange range, int width_px,
                  std::vector<CounterColumn>& out);

// Columns that stay where they are in time while a view slides over them, so that those which were folded for
// one picture are good for the next. Column i begins at origin + i * ns_per_px; x_px counts from `first`.
struct ColumnGrid {
  Timestamp origin{};
  double ns_per_px = 1;  // > 0; below 1 let `origin` be near, as columns are known to 2^-53 of their distance
  std::int64_t first = 0;  // may be negative
  int count = 0;           // > 0
  [[nodiscard]] Timestamp begin_of(std::int64_t column) const;
};
// Which of them are not exact, as rows were missing or not looked at: all of those are in [first_px, end_px).
struct CoarseSpan {
  int first_px = 0, end_px = 0;
};
// What several folds may cost together, so that one picture of many samples does not take longer than a
// frame: the blocks that lie in several columns and may be looked into, from the left, and those that may be
// asked for and are not here. What is beyond is shown as what has not been loaded is.
struct FoldBudget {
  int blocks = std::numeric_limits<int>::max(), missing = std::numeric_limits<int>::max();
  bool spent = false;  // another would have been looked into
};
CoarseSpan fold_counter(const CounterSeries& series, const ColumnGrid& grid, std::vector<CounterColumn>& out,
                        FoldBudget& budget);

}  // namespace runahead::trace
