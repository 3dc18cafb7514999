// Draws a GraphScene with an ImDrawList. The painter makes no decisions: the scene says what is shown, where,
// and with which words.
#pragma once

#include "gui/graph/graph_scene.h"
#include "gui/theme/theme.h"
#include "imgui.h"

namespace runahead::gui {

struct GraphPaint {
  const GraphScene& scene;
  const Theme& theme;
  ImVec2 min{}, max{};  // corners of the plot on the screen
  ImFont* font = nullptr;
  float font_px = 13;
};

void paint_graph(const GraphPaint& input, ImDrawList& draw);

// Draws a mark that shows a state by its shape, without colour. The mark is about `size_px` wide.
void paint_state_mark(analysis::OpState state, ImVec2 middle, float size_px, Colour colour, ImDrawList& draw);

// Returns the fill colour of a box whose op is in this state.
[[nodiscard]] Colour state_fill(const Theme& theme, analysis::OpState state);

}  // namespace runahead::gui
