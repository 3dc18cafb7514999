// What the last run measured, in the narrow column at the right: the workload's own tables.
#pragma once

#include "gui/model/model.h"
#include "gui/widgets/ui.h"

namespace runahead::gui {

// Nothing where no run of the chosen workload has come to its end.
void run_results(const PanelModel& model, const PanelUi& ui);

}  // namespace runahead::gui
