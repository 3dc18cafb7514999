// The top row: what to run, where, and the run's buttons; files; the menu.
#pragma once

#include "gui/model/model.h"
#include "gui/widgets/ui.h"

namespace runahead::gui {

void toolbar_panel(const PanelModel& model, const PanelUi& ui, Commands& out);

}  // namespace runahead::gui
