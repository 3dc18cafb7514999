// What the mouse is over, in words: a name, a slice, a counter's value, an instant.
#pragma once

#include "gui/timeline/scene/scene.h"
#include "gui/timeline/selection_facts.h"
#include "imgui.h"

namespace runahead::gui {

// Names and values, one a line; each whole from the first frame on.
void facts_tooltip(const Facts& facts);

// Draws nothing where there is nothing. `at`: of the mouse, from the plot's top left corner; on the names x
// is negative.
void timeline_tooltip(const trace::Trace& trace, const Scene& scene, ImVec2 at);

}  // namespace runahead::gui
