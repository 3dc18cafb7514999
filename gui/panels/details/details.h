// The right panel: facts and direct flows of the selected slice, or the figures of the measured range.
#pragma once

#include "gui/model/model.h"
#include "gui/widgets/ui.h"

namespace runahead::gui {

void details_panel(const PanelModel& model, const PanelUi& ui, Commands& out);

}  // namespace runahead::gui
