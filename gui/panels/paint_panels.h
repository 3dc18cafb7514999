// Draws a panel of the registry, whichever it is.
#pragma once

#include "gui/model/model.h"
#include "gui/panels/panel_registry.h"
#include "gui/widgets/ui.h"

namespace runahead::gui {

// Into what is left of the current window; one of PanelPlace::kFloating into its own.
void paint_module(const PanelSet& panels, const PanelModule& module, const PanelModel& model,
                  const PanelUi& ui, Commands& out);
// Of a panel that says how high it is; else 0.
[[nodiscard]] float module_height(const PanelSet& panels, const PanelModule& module, const PanelModel& model,
                                  const PanelUi& ui, float width_px);

}  // namespace runahead::gui
