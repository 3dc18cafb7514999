// All keys and gestures.
#pragma once

#include "gui/panels/model.h"
#include "gui/panels/ui.h"

namespace runahead::gui {

void help_panel(const PanelModel& model, const PanelUi& ui, Commands& out);

}  // namespace runahead::gui
