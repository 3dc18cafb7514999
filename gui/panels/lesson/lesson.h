// The left panel: what to try with the chosen workload, and its parameters.
#pragma once

#include "gui/model/model.h"
#include "gui/widgets/ui.h"

namespace runahead::gui {

void lesson_panel(const PanelModel& model, const PanelUi& ui, Commands& out);

}  // namespace runahead::gui
