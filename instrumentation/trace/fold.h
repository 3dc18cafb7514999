// Level of detail: what a lane or a counter looks like at a given zoom. The cost depends on the number of
// pixels, not on the number of rows. Pure; any thread on a snapshot. Idea: Tracy folds zones narrower than a
// few pixels.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "instrumentation/trace/counter_series.h"
#include "instrumentation/trace/lane.h"

namespace runahead::trace {

// What one or more slices look like at this zoom. row_count == 1 is a single slice, drawn with its name.
struct Run {
  Timestamp begin{}, end{};  // begin of the first and end of the last slice in it, not clipped to the range
  std::uint64_t first_row = 0;
  std::uint64_t row_count = 0;
  Duration busy{};  // sum of durations: busy / (end - begin) is the filled share
  std::uint64_t longest_row = 0;
  SliceLook longest;    // the look of the longest slice
  bool coarse = false;  // wide, but shown as one run until the data to divide it is loaded
};

// Folds the slices of `lane` that overlap `range` into runs. A slice of at least `min_px` is a separate run.
// Narrower neighbours that begin within one span of min_px become one run. Spans are fixed in time,
// independent of the range's begin, so a sliding view keeps its runs.
//   range:     half-open, not empty; may extend beyond the lane
//   width_px:  > 0, the width on which `range` is drawn
//   out:       replaced; sorted, disjoint, at most 2 * width_px / min_px + 3 runs; a slice of length zero is
//              in a run too
// O(width_px * log n); allocates only to grow `out`.
//
// If blocks of the lane are in a file, this function never waits for the file. Rows closer together than a
// span are taken bin by bin or block by block (slice_lod.h), so the ends of a run may be off by less than a
// span. A block or bin wider than a span is divided. If the data to divide it is not in memory, the block or
// bin becomes one run, and this function requests the data. O(blocks in range + bins of the blocks wider than
// a span + rows of the bins wider than a span).
void fold_lane(const Lane& lane, TimeRange range, int width_px, int min_px, std::vector<Run>& out);

// Makes one column for each pixel column that has a value: exact extremes within the column, and the value at
// its end. If blocks of the series are in a file, this function never waits for the file. A block inside one
// column needs no rows. A block across several columns that is not in memory is requested. Until it is
// loaded, each of its columns shows the block's extremes. Therefore no extreme is ever missing. All extremes
// are in the right place once the requested blocks are loaded.
struct CounterColumn {
  int x_px = 0;
  double min = 0, max = 0, last = 0;
};
void fold_counter(const CounterSeries& series, TimeRange range, int width_px,
                  std::vector<CounterColumn>& out);

// A grid of columns. The times of the columns stay fixed while a view slides over them. Therefore a column
// that was folded for one picture can be reused for the next picture. Column i begins at origin + i *
// ns_per_px; x_px counts from `first`.
struct ColumnGrid {
  Timestamp origin{};
  // > 0. If it is below 1, `origin` must be near: the error of a column's time is 2^-53 of its distance from
  // `origin`.
  double ns_per_px = 1;
  std::int64_t first = 0;  // may be negative
  int count = 0;           // > 0
  [[nodiscard]] Timestamp begin_of(std::int64_t column) const;
};
// The columns that are not exact, because rows were missing or were not read: all of them are in [first_px,
// end_px).
struct CoarseSpan {
  int first_px = 0, end_px = 0;
};
// The budget of several folds together, so that a picture of many samples fits in a frame. It limits blocks
// that extend across several columns. blocks: the number that may be read (from the left). missing: the
// number that may be requested because they are not in memory. Blocks beyond the budget are shown like blocks
// that are not loaded.
struct FoldBudget {
  int blocks = std::numeric_limits<int>::max(), missing = std::numeric_limits<int>::max();
  bool spent = false;  // another block would have been read
};
CoarseSpan fold_counter(const CounterSeries& series, const ColumnGrid& grid, std::vector<CounterColumn>& out,
                        FoldBudget& budget);

}  // namespace runahead::trace
