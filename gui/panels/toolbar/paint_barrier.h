// The hero of the window: one row of big buttons, one a barrier, the active one plain to see, keys 1..9.
#pragma once

#include "gui/model/model.h"
#include "gui/widgets/ui.h"

namespace runahead::gui {

// Where all of it does not fit `width_px` it goes without its title, then in two rows.
[[nodiscard]] float barrier_panel_height(const PanelModel& model, const PanelUi& ui, float width_px);
void barrier_panel(const PanelModel& model, const PanelUi& ui, Commands& out);

}  // namespace runahead::gui
