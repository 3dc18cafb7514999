// Private to the timeline: the columns of a counter's strip. The columns are reused in the next scene. While
// a view slides, only the columns that come into view are folded.
#pragma once

#include <span>

#include "gui/timeline/scene/scene.h"
#include "gui/timeline/scene/time_scale.h"

namespace runahead::gui::internal {

// Sets the columns of `out`, and the key of the columns, to the columns of `track` that show
// [scale.view.begin, end). For every view, columns begin at the same times. Therefore a column may extend
// beyond the edge of the view by less than its width. Columns that `before` also has are copied from
// `before`. The budget of this scene can then be used for columns that an earlier scene could not afford.
// REQUIRES: end in (view.begin, view.end].
void fill_counter_columns(const trace::Trace& trace, TrackId track, const TimeScale& scale, Timestamp end,
                          std::span<SceneCounter> before, trace::FoldBudget& budget, SceneCounter& out);

}  // namespace runahead::gui::internal
