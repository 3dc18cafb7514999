// All keys and gestures.
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
                                     .remembered = false,
                                     .in_menu = false,
                                     .escape_closes = true};
    return kInfo;
  }
  void add_to_report(nlohmann::json& json, const PanelModel& model) const override;
};
void paint_panel(HelpPanel& panel, const PanelModel& model, const PanelUi& ui, Commands& out);

}  // namespace runahead::gui
