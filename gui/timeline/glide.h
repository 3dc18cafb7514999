// A view on its way to another: zooms and jumps glide, so that the eye keeps what it looks at. Pure; time
// comes from the caller.
#pragma once

#include "gui/timeline/scene/scene.h"

namespace runahead::gui {

inline constexpr Duration kGlideLength = std::chrono::milliseconds{150};

// Sets out for `target` (not empty) from where the view is now; at once where `state.motion` is zero. A glide
// that is under way is turned there.
void glide_to(TimeRange target, TimelineState& state);

// Moves the view by `dt` of its glide; ends it at exactly its target. A view that was changed otherwise
// meanwhile stays where it is.
void advance_glide(Duration dt, TimelineState& state);

// Where the view will be: the glide's target, or where it is.
[[nodiscard]] TimeRange view_to_come(const TimelineState& state);

// Between two views, `share` of the way, 0..1: lengths by their ratio, and the time that lies at the same
// place in both stays there all the way.
[[nodiscard]] TimeRange between_views(TimeRange from, TimeRange to, double share);

}  // namespace runahead::gui
