// Dear ImGui's own metrics window.
#pragma once

#include "gui/model/panel.h"

namespace runahead::gui {

class MetricsPanel : public PanelModule {
 public:
  [[nodiscard]] const PanelInfo& info() const override {
    static constexpr PanelInfo kInfo{
        .id = "metrics", .title = Text::kPanelMetrics, .place = PanelPlace::kFloating, .remembered = false};
    return kInfo;
  }
};
void paint_panel(MetricsPanel& panel, const PanelModel& model, const PanelUi& ui, Commands& out);

}  // namespace runahead::gui
