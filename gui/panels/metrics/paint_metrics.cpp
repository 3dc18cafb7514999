#include "gui/panels/metrics/metrics_panel.h"
#include "imgui.h"

namespace runahead::gui {

void paint_panel(MetricsPanel& panel, const PanelModel&, const PanelUi&, Commands& out) {
  bool open = true;
  ImGui::ShowMetricsWindow(&open);
  if (!open) out.push_back(TogglePanel{panel.id()});
}

}  // namespace runahead::gui
