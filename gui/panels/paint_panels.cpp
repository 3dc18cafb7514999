#include "gui/panels/paint_panels.h"

namespace runahead::gui {

void paint_module(const PanelSet& panels, const PanelModule& module, const PanelModel& model,
                  const PanelUi& ui, Commands& out) {
  panels.with(module, [&](auto& panel) { paint_panel(panel, model, ui, out); });
}

float module_height(const PanelSet& panels, const PanelModule& module, const PanelModel& model,
                    const PanelUi& ui, float width_px) {
  float height = 0;
  panels.with(module, [&](auto& panel) {
    if constexpr (requires { panel_height(panel, model, ui, width_px); })
      height = panel_height(panel, model, ui, width_px);
  });
  return height;
}

}  // namespace runahead::gui
