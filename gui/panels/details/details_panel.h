// The details panel: the properties of the selection and the figures of the measured range.
#pragma once

#include "gui/model/panel.h"
#include "gui/panels/details/op_slices.h"

namespace runahead::gui {

class DetailsPanel : public PanelModule {
 public:
  [[nodiscard]] const PanelInfo& info() const override {
    static constexpr PanelInfo kInfo{
        .id = "details", .title = Text::kPanelDetails, .place = PanelPlace::kRight, .shown_at_first = true};
    return kInfo;
  }

  // What the op of the selection made ready, on the timeline and on the lower timeline of a comparison.
  MadeReady made_ready, lower_made_ready;
};
void paint_panel(DetailsPanel& panel, const PanelModel& model, const PanelUi& ui, Commands& out);

}  // namespace runahead::gui
