// The engine's settings: threads, orders, bulk, and the button that gives free memory back.
#pragma once

#include "gui/panels/commands.h"
#include "gui/panels/model.h"
#include "gui/panels/ui.h"

namespace runahead::gui {

void engine_settings(const PanelModel& model, const PanelUi& ui, Commands& out);

}  // namespace runahead::gui
