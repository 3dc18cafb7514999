// The debug panel: the cost of the window itself (the time of each part of a frame, the items drawn), the
// state of the capture, and losses.
#pragma once

#include "gui/model/panel.h"

namespace runahead::gui {

class DebugPanel : public PanelModule {
 public:
  [[nodiscard]] const PanelInfo& info() const override {
    static constexpr PanelInfo kInfo{.id = kDebugPanel,
                                     .title = Text::kPanelDebug,
                                     .key = "F3",
                                     .place = PanelPlace::kFloating,
                                     .in_report = true};
    return kInfo;
  }
};
void paint_panel(DebugPanel& panel, const PanelModel& model, const PanelUi& ui, Commands& out);

}  // namespace runahead::gui
