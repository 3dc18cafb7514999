// Finds the next or previous slice: on the same track, or along an arrow (a flow). Pure.
#pragma once

#include <optional>

#include "gui/timeline/scene/scene.h"

namespace runahead::gui {

// Returns the slice after or before `from` on the same lane. An open slice is the last slice of its lane.
// nullopt: there is no such slice.
[[nodiscard]] std::optional<SliceRef> beside_on_track(const trace::Trace& trace, const SliceRef& from,
                                                      bool forward);
// Returns the slice at the other end of an arrow. The arrow leaves `from` if `forward` is true; otherwise it
// enters `from`. If there are no arrows, returns the next or the previous slice of the same op, in time
// order. nullopt: there is no such slice.
[[nodiscard]] std::optional<SliceRef> along_flow(const trace::Trace& trace, const SliceRef& from,
                                                 bool forward);

}  // namespace runahead::gui
