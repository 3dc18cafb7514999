// Published figures beside those of the runs made here, in the lesson's narrow column: of each variant both
// figures, and under them the shape, which is what compares.
#pragma once

#include "gui/model/model.h"
#include "gui/widgets/ui.h"

namespace runahead::gui {

void published_figures(const PanelModel& model, const PanelUi& ui);

}  // namespace runahead::gui
