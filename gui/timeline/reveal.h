// Goes to a slice or a track: the changes needed to see it. Pure: emits commands.
#pragma once

#include "gui/timeline/scene/scene.h"
#include "gui/timeline/timeline_commands.h"

namespace runahead::gui {

// The largest scroll offset of the content.
[[nodiscard]] double most_scroll(const Scene& scene);

// Selects the slice, shows its track if it is hidden, and moves the view and the rows as little as possible.
// A slice that the trace does not have changes nothing.
void go_to_slice(const trace::Trace& trace, const Scene& scene, const TimelineState& state,
                 const SliceRef& slice, TimelineCommands& out);
// Scrolls to the row of that track and depth, or of the folded group around it.
void reveal_row(const trace::Trace& trace, const Scene& scene, const TimelineState& state,
                const SliceRef& slice, TimelineCommands& out);

}  // namespace runahead::gui
