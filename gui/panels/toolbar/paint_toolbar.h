// The top of the window. The first row has the user's choice of the run, buttons for the run, files, and the
// menu. The second row has the barriers.
#pragma once

#include "gui/model/model.h"
#include "gui/widgets/ui.h"

namespace runahead::gui {

void toolbar_panel(const PanelModel& model, const PanelUi& ui, Commands& out);

// Call within a popup.
void window_menu(const PanelModel& model, const PanelUi& ui, Commands& out);

// Asks for the file to record to. If a recording is being written, ends that recording instead.
void toggle_recording(const PanelModel& model, Commands& out);

// Returns the height of the row of barriers. If the row does not fit into `width_px`, its title is omitted.
// If it still does not fit, it takes two rows.
[[nodiscard]] float barrier_panel_height(const PanelModel& model, const PanelUi& ui, float width_px);
void barrier_panel(const PanelModel& model, const PanelUi& ui, Commands& out);

}  // namespace runahead::gui
