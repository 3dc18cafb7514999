// Goes from one slice to the next: along its track, or along its arrows. Pure.
#pragma once

#include <optional>

#include "gui/timeline/scene/scene.h"

namespace runahead::gui {

// Returns the slice after `from` on its lane, or the slice before it. An open slice is the last. nullopt:
// there is none.
[[nodiscard]] std::optional<SliceRef> beside_on_track(const trace::Trace& trace, const SliceRef& from,
                                                      bool forward);
// Returns the slice that an arrow of `from` leads to, or comes from. Without arrows it is the next slice of
// the same op in time, or the slice before. nullopt: there is none.
[[nodiscard]] std::optional<SliceRef> along_flow(const trace::Trace& trace, const SliceRef& from,
                                                 bool forward);

}  // namespace runahead::gui
