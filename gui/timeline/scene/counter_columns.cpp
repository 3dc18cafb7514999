#include "gui/timeline/scene/counter_columns.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace runahead::gui::internal {
namespace {

using trace::ColumnGrid;
using trace::CounterColumn;

ColumnGrid grid_of(const trace::Trace& trace, const TimeScale& scale, Timestamp end) {
  ColumnGrid grid{.ns_per_px = static_cast<double>(ns_from(scale.view.duration())) / scale.width_px};
  // Usually the grid begins at the start of the trace, so that all views with the same zoom share this grid
  // and can reuse columns. If a pixel is shorter than a nanosecond, the grid begins at the start of the view:
  // with a distant origin, the times of the columns would be inexact (ColumnGrid::ns_per_px). Columns are
  // then not reused, but each column has only few samples to fold.
  grid.origin = grid.ns_per_px < 1 ? scale.view.begin : trace.extent().begin;
  const auto columns_to = [&](Timestamp t) {
    return static_cast<double>(ns_from(t - grid.origin)) / grid.ns_per_px;
  };
  constexpr double kRounding = 1e-6;  // in columns; smaller differences are rounding errors
  grid.first = static_cast<std::int64_t>(std::floor(columns_to(scale.view.begin) + kRounding));
  const auto beyond = static_cast<std::int64_t>(std::ceil(columns_to(end) - kRounding));
  grid.count = static_cast<int>(std::max<std::int64_t>(1, beyond - grid.first));
  return grid;
}

struct Span {
  std::int64_t begin = 0, end = 0;  // indices of columns in the grid
  [[nodiscard]] bool empty() const { return begin >= end; }
};

// Computes the columns of `span`: each column gets the extremes of its samples. CounterColumn::x_px counts
// from the first column of the grid. Returns the span of the coarse columns. A coarse column is not exact,
// because the blocks with its samples are not loaded, or because the budget (the number of blocks that one
// scene may read) is used up.
Span fold_part(const trace::CounterSeries& series, const ColumnGrid& grid, Span span,
               trace::FoldBudget& budget, std::vector<CounterColumn>& out) {
  out.clear();
  if (span.empty()) return {};
  ColumnGrid part = grid;
  part.first = span.begin;
  part.count = static_cast<int>(span.end - span.begin);
  const trace::CoarseSpan coarse = fold_counter(series, part, out, budget);
  for (CounterColumn& column : out) column.x_px += static_cast<int>(span.begin - grid.first);
  return {span.begin + coarse.first_px, span.begin + coarse.end_px};
}

// Returns the larger part of `all` that is not coarse: either the part before or the part after the coarse
// columns.
Span without(Span all, Span coarse) {
  if (coarse.empty()) return all;
  const bool before = coarse.begin - all.begin >= all.end - coarse.end;
  return before ? Span{all.begin, coarse.begin} : Span{coarse.end, all.end};
}

// Moves all columns by by_px, then removes the columns outside [from, to) px.
void slide(std::vector<CounterColumn>& columns, int by_px, int from_px, int to_px) {
  for (CounterColumn& column : columns) column.x_px += by_px;
  const auto at = [&](int x_px) { return std::ranges::lower_bound(columns, x_px, {}, &CounterColumn::x_px); };
  columns.erase(at(to_px), columns.end());
  columns.erase(columns.begin(), at(from_px));
}

}  // namespace

void fill_counter_columns(const trace::Trace& trace, TrackId track, const TimeScale& scale, Timestamp end,
                          std::span<SceneCounter> before, trace::FoldBudget& budget, SceneCounter& out) {
  const trace::CounterSeries& series = trace.track(track).counter;
  const ColumnGrid grid = grid_of(trace, scale, end);
  out.key = {track, trace.identity(), trace.version(), grid.origin, grid.ns_per_px};
  out.first_column = grid.first;
  const Span all{grid.first, grid.first + grid.count};
  const auto of_track = [&](const SceneCounter& one) { return one.key.track == track; };
  const auto known = std::ranges::find_if(before, of_track);
  Span kept{all.begin, all.begin};
  if (known != before.end() && std::exchange(known->key, {}) == out.key) {
    kept = {std::clamp(known->exact_begin, all.begin, all.end),
            std::clamp(known->exact_end, all.begin, all.end)};
  }
  // Reuses the memory of the old columns, even if the columns themselves cannot be reused.
  if (known != before.end()) out.columns = std::move(known->columns);
  Span coarse;
  if (kept.empty()) {
    coarse = fold_part(series, grid, all, budget, out.columns);
  } else {
    slide(out.columns, static_cast<int>(known->first_column - grid.first),
          static_cast<int>(kept.begin - grid.first), static_cast<int>(kept.end - grid.first));
    std::vector<CounterColumn> fresh;
    coarse = fold_part(series, grid, {all.begin, kept.begin}, budget, fresh);
    out.columns.insert(out.columns.begin(), fresh.begin(), fresh.end());
    const Span behind = fold_part(series, grid, {kept.end, all.end}, budget, fresh);
    out.columns.insert(out.columns.end(), fresh.begin(), fresh.end());
    if (!behind.empty()) coarse = {coarse.empty() ? behind.begin : coarse.begin, behind.end};
  }
  const Span exact = without(all, coarse);
  out.exact_begin = exact.begin;
  out.exact_end = exact.end;
}

}  // namespace runahead::gui::internal
