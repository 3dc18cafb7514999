// Functions that draw any panel of the registry (panel_registry.h).
#pragma once

#include "gui/model/model.h"
#include "gui/panels/panel_registry.h"
#include "gui/widgets/ui.h"

namespace runahead::gui {

// Draws a panel into the rest of the current window. If the panel's place is PanelPlace::kFloating, draws the
// panel into a separate window.
void paint_module(const PanelSet& panels, const PanelModule& module, const PanelModel& model,
                  const PanelUi& ui, Commands& out);
// Returns the panel's height; 0 if the panel does not define panel_height().
[[nodiscard]] float module_height(const PanelSet& panels, const PanelModule& module, const PanelModel& model,
                                  const PanelUi& ui, float width_px);

}  // namespace runahead::gui
