// Draws any panel of the registry.
#pragma once

#include "gui/model/model.h"
#include "gui/panels/panel_registry.h"
#include "gui/widgets/ui.h"

namespace runahead::gui {

// Draws into the rest of the current window; a PanelPlace::kFloating panel into its own window.
void paint_module(const PanelSet& panels, const PanelModule& module, const PanelModel& model,
                  const PanelUi& ui, Commands& out);
// The height of a panel that defines one; else 0.
[[nodiscard]] float module_height(const PanelSet& panels, const PanelModule& module, const PanelModel& model,
                                  const PanelUi& ui, float width_px);

}  // namespace runahead::gui
