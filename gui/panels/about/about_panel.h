// The panel About shows the text of `runahead --version`: the version and the build of the program.
#pragma once

#include "gui/model/panel.h"

namespace runahead::gui {

class AboutPanel : public PanelModule {
 public:
  [[nodiscard]] const PanelInfo& info() const override {
    static constexpr PanelInfo kInfo{.id = kAboutPanel,
                                     .title = Text::kAbout,
                                     .place = PanelPlace::kFloating,
                                     .remembered = false,
                                     .in_menu = false,
                                     .escape_closes = true};
    return kInfo;
  }
  // Adds "version_text": the lines, or null while the panel is hidden. (A report is recognised by its first
  // key, "all_glyphs": a key "about" would come before it.)
  void add_to_report(nlohmann::json& report, const PanelModel& model) const override;
};
void paint_panel(AboutPanel& panel, const PanelModel& model, const PanelUi& ui, Commands& out);

}  // namespace runahead::gui
