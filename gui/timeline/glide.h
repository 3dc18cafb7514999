// A glide: the animation of zooms and jumps, so that the eye can follow. Pure; the caller passes the time.
#pragma once

#include "gui/timeline/scene/scene.h"

namespace runahead::gui {

inline constexpr Duration kGlideLength = std::chrono::milliseconds{150};

// Starts a glide from the current view to `target` (not empty). A glide in progress turns to the new target.
// If `state.motion` is zero the view changes at once.
void glide_to(TimeRange target, TimelineState& state);

// Moves the view by `dt` of its glide, which ends exactly at its target. If something else has changed the
// view since the last call, the glide ends and the view stays where it is.
void advance_glide(Duration dt, TimelineState& state);

// Returns the target of the glide; without a glide the current view.
[[nodiscard]] TimeRange view_to_come(const TimelineState& state);

// Returns the view at `share` (0..1) of the way between two views. Lengths change by their ratio. The time
// that is at the same place in both views stays at that place.
[[nodiscard]] TimeRange between_views(TimeRange from, TimeRange to, double share);

}  // namespace runahead::gui
