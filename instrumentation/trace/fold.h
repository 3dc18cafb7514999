// Level of detail: what a lane or a counter looks like at a given zoom. The cost depends on the number of
// pixels, not on the number of rows. The functions are pure; any thread may call them on a snapshot. The idea
// comes from Tracy, which folds zones that are narrower than a few pixels.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "instrumentation/trace/counter_series.h"
#include "instrumentation/trace/lane.h"

namespace runahead::trace {

// One slice, or several slices that are drawn together because they are narrow. A single slice (row_count ==
// 1) is drawn with its name.
struct Run {
  // Begin of the run's first slice and end of its last slice; not clipped to the range.
  Timestamp begin{}, end{};
  std::uint64_t first_row = 0;
  std::uint64_t row_count = 0;
  Duration busy{};  // sum of the slices' durations; slices fill the fraction busy / (end - begin) of the run
  std::uint64_t longest_row = 0;
  SliceLook longest;    // colour and text of the longest slice
  bool coarse = false;  // wide, but shown as one run until the data to divide it is loaded
};

// Folds the slices of `lane` that overlap `range` into runs. A slice that is at least `min_px` wide is a
// separate run. Time is divided into spans of `min_px`. Narrower neighbours that begin within the same span
// become one run. The spans are fixed in time and do not depend on the begin of the range. Therefore the runs
// stay the same while a view slides.
//   range:     half-open, not empty; may extend beyond the lane
//   width_px:  > 0, the width on which `range` is drawn
//   out:       replaced; sorted, disjoint, at most 2 * width_px / min_px + 3 runs; a slice of length zero is
//              in a run too
// O(width_px * log n); allocates only to grow `out`.
//
// If blocks of the lane are in a file, this function never waits for the file. A bin or block (slice_lod.h)
// that is narrower than a span is not divided. Therefore the begin and the end of a run may be wrong, by less
// than a span. A block or bin wider than a span is divided. If the data to divide it is not in memory, the
// block or bin becomes one run, and this function requests the data. O(blocks in range + bins of the blocks
// wider than a span + rows of the bins wider than a span).
void fold_lane(const Lane& lane, TimeRange range, int width_px, int min_px, std::vector<Run>& out);

// Makes one CounterColumn for each pixel column that has a value. A CounterColumn has the exact minimum and
// maximum within its pixel column, and the value at the end of the pixel column.
// If blocks of the series are in a file, this function never waits for the file. If a block lies inside one
// column, its summary is enough. If a block extends across several columns and is not in memory, this
// function requests the block. Until the block is loaded, each of these columns shows the extremes of the
// whole block. Therefore no extreme is ever missing. All extremes are in the right place once the requested
// blocks are loaded.
struct CounterColumn {
  int x_px = 0;
  double min = 0, max = 0, last = 0;
};
void fold_counter(const CounterSeries& series, TimeRange range, int width_px,
                  std::vector<CounterColumn>& out);

// A grid of pixel columns. The time at which a column begins stays fixed while a view slides over the grid.
// Therefore a column that was folded for one picture can be reused for the next picture. Column i begins at
// origin + i * ns_per_px. In the result, x_px is the number of the column minus `first`.
struct ColumnGrid {
  Timestamp origin{};
  // > 0. The error of a column's time is 2^-53 of the distance between the column and `origin`. Therefore, if
  // ns_per_px is below 1, `origin` must be near the columns.
  double ns_per_px = 1;
  std::int64_t first = 0;  // may be negative
  int count = 0;           // > 0
  [[nodiscard]] Timestamp begin_of(std::int64_t column) const;
};
// The columns that show a block's summary instead of its rows, so that their values are not exact. All of
// them are in [first_px, end_px). The rows were not used because they were not in memory, or because the
// budget was spent.
struct CoarseSpan {
  int first_px = 0, end_px = 0;
};
// A budget that several calls of fold_counter() share. It limits the work for one frame, even if the frame
// shows many samples. It only limits blocks that extend across several columns. `blocks` is the number of
// such blocks that may still be read; the leftmost blocks are read first. `missing` is the number of such
// blocks that may still be requested because they are not in memory. Blocks beyond the budget are shown like
// blocks that are not loaded.
struct FoldBudget {
  int blocks = std::numeric_limits<int>::max(), missing = std::numeric_limits<int>::max();
  bool spent = false;  // true: a block was not read, because `blocks` was 0
};
CoarseSpan fold_counter(const CounterSeries& series, const ColumnGrid& grid, std::vector<CounterColumn>& out,
                        FoldBudget& budget);

}  // namespace runahead::trace
