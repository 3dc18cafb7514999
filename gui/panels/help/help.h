// All keys and gestures.
#pragma once

#include "gui/model/model.h"
#include "gui/widgets/ui.h"

namespace runahead::gui {

void help_panel(const PanelModel& model, const PanelUi& ui, Commands& out);

}  // namespace runahead::gui
