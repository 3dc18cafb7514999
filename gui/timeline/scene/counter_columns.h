// Private to the timeline. Computes the columns of a counter's strip: each pixel column shows the extremes of
// the samples in it. The next scene reuses the columns. While a view slides, only the columns that come into
// view are computed.
#pragma once

#include <span>

#include "gui/timeline/scene/scene.h"
#include "gui/timeline/scene/time_scale.h"

namespace runahead::gui::internal {

// Computes the columns of the counter `track` for the times [scale.view.begin, end), and writes them and
// their key (SceneCounter::Key) to `out`. All views with the same zoom use the same grid of columns.
// Therefore the first and the last column may extend beyond the view by less than one column. `before` has
// the counters of the previous scene. A column that is exact in `before` is taken from there. `budget` limits
// how many blocks of samples one scene reads. Reused columns read nothing, so the budget is left for columns
// that the previous scene could not compute exactly. REQUIRES: end in (view.begin, view.end].
void fill_counter_columns(const trace::Trace& trace, TrackId track, const TimeScale& scale, Timestamp end,
                          std::span<SceneCounter> before, trace::FoldBudget& budget, SceneCounter& out);

}  // namespace runahead::gui::internal
