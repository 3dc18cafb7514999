// Going to a slice or a track: what has to change for it to be seen. Pure: emits commands.
#pragma once

#include "gui/timeline/scene/scene.h"
#include "gui/timeline/timeline_commands.h"

namespace runahead::gui {

// How far the content can be scrolled.
[[nodiscard]] double most_scroll(const Scene& scene);

// Selects the slice, shows its track where it is hidden, and moves the view and the rows no more than it
// takes. A slice that the trace does not hold changes nothing.
void go_to_slice(const trace::Trace& trace, const Scene& scene, const TimelineState& state,
                 const SliceRef& slice, TimelineCommands& out);
// Scrolls to the row of that track and depth, or of the folded group that it is in.
void reveal_row(const trace::Trace& trace, const Scene& scene, const TimelineState& state,
                const SliceRef& slice, TimelineCommands& out);

}  // namespace runahead::gui
