// The bottom strip: what the last toggle changed, before and after, side by side, and how much data that
// rests on.
#pragma once

#include "gui/model/model.h"
#include "gui/widgets/ui.h"

namespace runahead::gui {

[[nodiscard]] float strip_panel_height(const PanelUi& ui);
void strip_panel(const PanelModel& model, const PanelUi& ui, Commands& out);

}  // namespace runahead::gui
