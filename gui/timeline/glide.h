// A glide is the animation of a zoom or a jump, so that the eye can follow the change of the view. Pure; the
// caller passes the time.
#pragma once

#include "gui/timeline/scene/scene.h"

namespace runahead::gui {

inline constexpr Duration kGlideLength = std::chrono::milliseconds{150};

// Starts a glide from the current view to `target` (not empty). If a glide is in progress, the new glide
// replaces it and starts from the current view. If `state.motion` is zero, the view changes immediately.
void glide_to(TimeRange target, TimelineState& state);

// Advances the glide by `dt`. A glide ends exactly at its target. If other code has changed the view since
// the last call, the glide ends and the view is not changed.
void advance_glide(Duration dt, TimelineState& state);

// Returns the target of the glide, or the current view if there is no glide.
[[nodiscard]] TimeRange view_to_come(const TimelineState& state);

// Returns the view at `share` (0..1) of the way between two views. Equal steps of `share` multiply the length
// of the view by equal factors. If a time has the same x in `from` and `to`, it has this x in the returned
// view too.
[[nodiscard]] TimeRange between_views(TimeRange from, TimeRange to, double share);

}  // namespace runahead::gui
