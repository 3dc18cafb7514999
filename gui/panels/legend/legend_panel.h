// What the colours of the timeline mean, and the choice of what they say: a band of its own below the
// timeline, over no data.
#pragma once

#include "gui/model/panel.h"
#include "gui/timeline/timeline_legend.h"

namespace runahead::gui {

class LegendPanel : public PanelModule {
 public:
  [[nodiscard]] const PanelInfo& info() const override {
    static constexpr PanelInfo kInfo{
        .id = "legend",
        .title = Text::kPanelLegend,
        .key = "L",
        .place = PanelPlace::kBand,
        .in_report = true,
        .button = PanelButton{6, "legend", Text::kLegendTitle, Text::kLegendButtonHint}};
    return kInfo;
  }

  SceneLegend legend;  // of what was drawn last; made when the height is asked for
};
void paint_panel(LegendPanel& panel, const PanelModel& model, const PanelUi& ui, Commands& out);
// As high as the lines that it takes in so much room.
[[nodiscard]] float panel_height(LegendPanel& panel, const PanelModel& model, const PanelUi& ui,
                                 float width_px);

}  // namespace runahead::gui
