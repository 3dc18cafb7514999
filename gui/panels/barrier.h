// The hero of the window: one row of big buttons, one a barrier, the active one plain to see, keys 1..9.
#pragma once

#include "gui/panels/model.h"
#include "gui/panels/ui.h"

namespace runahead::gui {

[[nodiscard]] float barrier_panel_height(const PanelUi& ui);
void barrier_panel(const PanelModel& model, const PanelUi& ui, Commands& out);

}  // namespace runahead::gui
