// The legend: what the timeline's colours mean, and buttons to colour the slices by kind, by name or by step.
// The legend is a band below the timeline, so that it covers no data.
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
        .button = PanelButton{8, "legend", Text::kLegendTitle, Text::kLegendButtonHint}};
    return kInfo;
  }

  SceneLegend legend;  // legend of the last drawn scene; computed by panel_height()
};
void paint_panel(LegendPanel& panel, const PanelModel& model, const PanelUi& ui, Commands& out);
// Returns the height that the legend needs at this width.
[[nodiscard]] float panel_height(LegendPanel& panel, const PanelModel& model, const PanelUi& ui,
                                 float width_px);

}  // namespace runahead::gui
