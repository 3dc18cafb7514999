// The timeline and what floats over it: the buttons that open other views, the field that filters tracks, a
// note that is being written; and, while two traces are compared, both timelines one above the other.
// Internal to the app.
#pragma once

#include "gui/app/frame.h"

namespace runahead::gui {

// One timeline, or the two of a comparison, at the cursor.
void draw_timelines(const Frame& frame, ImVec2 size);

}  // namespace runahead::gui
