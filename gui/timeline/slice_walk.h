// From one slice to the next: along its track, along its arrows. Pure.
#pragma once

#include <optional>

#include "gui/timeline/scene/scene.h"

namespace runahead::gui {

// The slice after `from` on its lane, or the one before it; an open slice is the last. nullopt: there is
// none.
[[nodiscard]] std::optional<SliceRef> beside_on_track(const trace::Trace& trace, const SliceRef& from,
                                                      bool forward);
// Where its arrows lead, or come from; where there are none, the next slice of the same op in the order of
// time, or the one before. nullopt: there is none.
[[nodiscard]] std::optional<SliceRef> along_flow(const trace::Trace& trace, const SliceRef& from,
                                                 bool forward);

}  // namespace runahead::gui
