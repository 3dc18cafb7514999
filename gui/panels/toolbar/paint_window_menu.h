// The menu at the toolbar's end: files, how the window looks, which panels are shown, what is begun anew.
#pragma once

#include "gui/model/model.h"
#include "gui/widgets/ui.h"

namespace runahead::gui {

// Within a popup.
void window_menu(const PanelModel& model, const PanelUi& ui, Commands& out);

// Asks where to record to; while a recording is written, ends it.
void toggle_recording(const PanelModel& model, Commands& out);

}  // namespace runahead::gui
