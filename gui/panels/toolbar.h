// The top row: what to run, where, and the run's buttons; files; the menu.
#pragma once

#include "gui/panels/model.h"
#include "gui/panels/ui.h"

namespace runahead::gui {

void toolbar_panel(const PanelModel& model, const PanelUi& ui, Commands& out);

}  // namespace runahead::gui
