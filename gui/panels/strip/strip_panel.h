// The bottom strip: figures before and after the last change of the barrier, next to each other. The strip
// also shows from how much data the figures were computed.
#pragma once

#include "gui/model/panel.h"

namespace runahead::gui {

class StripPanel : public PanelModule {
 public:
  [[nodiscard]] const PanelInfo& info() const override {
    static constexpr PanelInfo kInfo{
        .id = "strip", .title = Text::kPanelStrip, .place = PanelPlace::kStrip, .shown_at_first = true};
    return kInfo;
  }
};
void paint_panel(StripPanel& panel, const PanelModel& model, const PanelUi& ui, Commands& out);
[[nodiscard]] float panel_height(const StripPanel& panel, const PanelModel& model, const PanelUi& ui,
                                 float width_px);

}  // namespace runahead::gui
