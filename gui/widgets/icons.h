// Icons of the toolbar, drawn as shapes: crisp at any scale, and no face need hold them.
#pragma once

#include "gui/widgets/ui.h"

namespace runahead::gui {

// Within the square of `size_px` whose top left corner is `at`.
void draw_icon(ImDrawList& draw, Icon icon, ImVec2 at, float size_px, ImU32 ink);

}  // namespace runahead::gui
