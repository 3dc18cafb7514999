// The first line of the comparison's panel: what A and B are, and the way out.
#pragma once

#include "gui/model/commands.h"
#include "gui/model/model.h"
#include "gui/widgets/ui.h"

namespace runahead::gui {

void compare_choices(const PanelModel& model, const PanelUi& ui, Commands& out);

}  // namespace runahead::gui
