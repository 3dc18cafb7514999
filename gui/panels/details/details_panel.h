// The details panel: the properties of the selection and the figures of the measured range.
#pragma once

#include "gui/model/panel.h"

namespace runahead::gui {

class DetailsPanel : public PanelModule {
 public:
  [[nodiscard]] const PanelInfo& info() const override {
    static constexpr PanelInfo kInfo{
        .id = "details", .title = Text::kPanelDetails, .place = PanelPlace::kRight, .shown_at_first = true};
    return kInfo;
  }
};
void paint_panel(DetailsPanel& panel, const PanelModel& model, const PanelUi& ui, Commands& out);

}  // namespace runahead::gui
