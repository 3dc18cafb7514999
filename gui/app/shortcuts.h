// The keys of the window as a whole; the timeline's own are the timeline's.
#pragma once

#include "gui/app/layout.h"

namespace runahead::gui {

// Within a frame, before anything is drawn. Nothing while a text field has the keyboard, but Esc.
void read_shortcuts(AppCore& core, const PanelModel& model, LayoutState& layout, Commands& out);
void close_search(AppCore& core, Commands& out);

}  // namespace runahead::gui
