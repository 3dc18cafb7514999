// What the colours of the timeline mean, and the choice of what they say: a band of its own below the
// timeline, over no data.
#pragma once

#include "gui/model/model.h"
#include "gui/widgets/ui.h"

namespace runahead::gui {

// As high as the lines that it takes in so much room.
[[nodiscard]] float legend_band_height(const PanelModel& model, const PanelUi& ui, float width_px);
void legend_band(const PanelModel& model, const PanelUi& ui, Commands& out);

}  // namespace runahead::gui
