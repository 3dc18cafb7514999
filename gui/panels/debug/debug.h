// What the window itself costs: frames by part, what was drawn, the capture path, losses.
#pragma once

#include "gui/model/panel.h"

namespace runahead::gui {

class DebugPanel : public PanelModule {
 public:
  [[nodiscard]] const PanelInfo& info() const override {
    static constexpr PanelInfo kInfo{
        .id = kDebugPanel, .title = Text::kPanelDebug, .key = "F3", .place = PanelPlace::kFloating};
    return kInfo;
  }
  void add_to_report(nlohmann::json& json, const PanelModel& model) const override;
};
void paint_panel(DebugPanel& panel, const PanelModel& model, const PanelUi& ui, Commands& out);

}  // namespace runahead::gui
