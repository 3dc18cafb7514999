// The tooltip of the item under the mouse: a name, a slice, a counter's value, an instant.
#pragma once

#include "gui/timeline/scene/scene.h"
#include "gui/timeline/selection_facts.h"
#include "imgui.h"

namespace runahead::gui {

// Names and values, one pair a line; complete from the first frame on.
void facts_tooltip(const Facts& facts);

// Draws nothing if there is no item. `at`: the mouse position, from the plot's top left corner; x is negative
// on the names.
void timeline_tooltip(const trace::Trace& trace, const Scene& scene, ImVec2 at);

}  // namespace runahead::gui
