// Goes to a slice or a track: emits the commands that bring the slice or track into view. Pure.
#pragma once

#include <optional>

#include "gui/timeline/scene/scene.h"
#include "gui/timeline/timeline_commands.h"

namespace runahead::gui {

// Returns the largest scroll offset of the content.
[[nodiscard]] double most_scroll(const Scene& scene);

// Selects the slice, shows its track if the track is hidden, and moves the view and the rows only if the
// slice is not visible. Does nothing if the trace does not have the slice.
void go_to_slice(const trace::Trace& trace, const Scene& scene, const TimelineState& state,
                 const SliceRef& slice, TimelineCommands& out);
// Returns a view in which the slice takes half of the width. nullopt: the slice can be read already, because
// it is wide enough and not wider than the view.
[[nodiscard]] std::optional<TimeRange> view_to_read(const trace::Slice& slice, const Scene& scene,
                                                    const TimelineState& state);
// Scrolls to the row of this track and depth if it is not completely visible, and leaves room between the row
// and the edge. If the row is in a folded group, scrolls to the group.
void reveal_row(const trace::Trace& trace, const Scene& scene, const TimelineState& state,
                const SliceRef& slice, TimelineCommands& out);

}  // namespace runahead::gui
