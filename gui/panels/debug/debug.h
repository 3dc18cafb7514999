// What the window itself costs: frames by part, what was drawn, the capture path, losses.
#pragma once

#include "gui/model/model.h"
#include "gui/widgets/ui.h"

namespace runahead::gui {

void debug_panel(const PanelModel& model, const PanelUi& ui, Commands& out);

}  // namespace runahead::gui
