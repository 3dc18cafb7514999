// Private to the timeline: the columns of a counter's strip, kept from one scene to the next. A view that
// slides has only those folded that come into sight.
#pragma once

#include <span>

#include "gui/timeline/scene/scene.h"
#include "gui/timeline/scene/time_scale.h"

namespace runahead::gui::internal {

// Sets out's columns, and what they are of, to those of `track` that show [scale.view.begin, end). Columns
// begin at the same times wherever the view does, so that one may reach over the view's edges by less than
// itself. What `before` has of them is taken from there, so that what was beyond one scene's budget is left
// for the next. REQUIRES: end in (view.begin, view.end].
void fill_counter_columns(const trace::Trace& trace, TrackId track, const TimeScale& scale, Timestamp end,
                          std::span<SceneCounter> before, trace::FoldBudget& budget, SceneCounter& out);

}  // namespace runahead::gui::internal
