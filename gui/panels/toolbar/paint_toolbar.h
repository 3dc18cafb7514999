// The top of the window: the row of what to run, the run's buttons, files and menu; and the row of barriers.
#pragma once

#include "gui/model/model.h"
#include "gui/widgets/ui.h"

namespace runahead::gui {

void toolbar_panel(const PanelModel& model, const PanelUi& ui, Commands& out);

// Within a popup.
void window_menu(const PanelModel& model, const PanelUi& ui, Commands& out);

// Asks where to record to; while a recording is written, ends it.
void toggle_recording(const PanelModel& model, Commands& out);

// Where all of it does not fit `width_px` it goes without its title, then in two rows.
[[nodiscard]] float barrier_panel_height(const PanelModel& model, const PanelUi& ui, float width_px);
void barrier_panel(const PanelModel& model, const PanelUi& ui, Commands& out);

}  // namespace runahead::gui
