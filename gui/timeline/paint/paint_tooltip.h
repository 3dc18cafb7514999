// Draws the tooltip of the item under the mouse: a name, a slice, a counter's value, or an instant.
#pragma once

#include <string>

#include "gui/timeline/scene/scene.h"
#include "gui/timeline/selection_facts.h"
#include "imgui.h"

namespace runahead::gui {

// Draws names and values, one pair per line. The tooltip has its final size in the first frame in which it is
// drawn. Above them, draws `title` and, dim, `subtitle`, unless they are empty.
void facts_tooltip(const Facts& facts, const std::string& title = {}, const std::string& subtitle = {});

// Draws the tooltip of the item at `at`; draws nothing if there is no item. `at`: the mouse position relative
// to the plot's top left corner; x is negative over the names.
void timeline_tooltip(const trace::Trace& trace, const TimelineState& state, const Scene& scene, ImVec2 at);

// Draws the tooltip of the part of the run at `x_px` of the plot: its name and duration, and what a click
// does.
void part_tooltip(const trace::Trace& trace, const TimelineState& state, const Scene& scene, float x_px);

}  // namespace runahead::gui
