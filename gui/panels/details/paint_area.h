// Draws the statistics of the selected area: a part of the details panel.
#pragma once

#include "gui/panels/details/details_panel.h"

namespace runahead::gui {

// REQUIRES: model.timeline.area.
void paint_area(const DetailsPanel& panel, const PanelModel& model, const PanelUi& ui, Commands& out);

}  // namespace runahead::gui
