// The help panel lists all keys and gestures.
#pragma once

#include "gui/model/panel.h"

namespace runahead::gui {

class HelpPanel : public PanelModule {
 public:
  [[nodiscard]] const PanelInfo& info() const override {
    static constexpr PanelInfo kInfo{.id = kHelpPanel,
                                     .title = Text::kHelp,
                                     .key = "?",
                                     .other_key = "F1",
                                     .place = PanelPlace::kFloating,
                                     .in_report = true,
                                     .remembered = false,
                                     .in_menu = false,
                                     .escape_closes = true};
    return kInfo;
  }
};
void paint_panel(HelpPanel& panel, const PanelModel& model, const PanelUi& ui, Commands& out);

}  // namespace runahead::gui
