// The line at the bottom of the window: the current run, lost data, and the file.
#pragma once

#include "gui/model/panel.h"

namespace runahead::gui {

class StatusPanel : public PanelModule {
 public:
  [[nodiscard]] const PanelInfo& info() const override {
    static constexpr PanelInfo kInfo{
        .id = "status", .title = Text::kPanelStatus, .place = PanelPlace::kBottom, .shown_at_first = true};
    return kInfo;
  }
};
void paint_panel(StatusPanel& panel, const PanelModel& model, const PanelUi& ui, Commands& out);
[[nodiscard]] float panel_height(const StatusPanel& panel, const PanelModel& model, const PanelUi& ui,
                                 float width_px);

}  // namespace runahead::gui
