// The engine's settings: threads, orders, bulk, and the button that gives free memory back.
#pragma once

#include "gui/model/commands.h"
#include "gui/model/model.h"
#include "gui/widgets/ui.h"

namespace runahead::gui {

void engine_settings(const PanelModel& model, const PanelUi& ui, Commands& out);

}  // namespace runahead::gui
