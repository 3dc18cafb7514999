// The left panel: what to try with the chosen workload, and its parameters.
#pragma once

#include "gui/panels/model.h"
#include "gui/panels/ui.h"

namespace runahead::gui {

void lesson_panel(const PanelModel& model, const PanelUi& ui, Commands& out);

}  // namespace runahead::gui
