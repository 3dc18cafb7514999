// Goes from one slice to the next: along its track, or along its arrows. Pure.
#pragma once

#include <optional>

#include "gui/timeline/scene/scene.h"

namespace runahead::gui {

// Returns the slice after `from` on its lane, or the slice before `from`. An open slice is the last of its
// lane. nullopt: there is no such slice.
[[nodiscard]] std::optional<SliceRef> beside_on_track(const trace::Trace& trace, const SliceRef& from,
                                                      bool forward);
// Returns the slice to which an arrow of `from` leads, or from which it comes. Without arrows it is the next
// or the previous slice of the same op in time. nullopt: there is no such slice.
[[nodiscard]] std::optional<SliceRef> along_flow(const trace::Trace& trace, const SliceRef& from,
                                                 bool forward);

}  // namespace runahead::gui
