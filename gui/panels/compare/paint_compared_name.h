// One name of a comparison: percentiles of both sides with ratios, the two histograms laid over each other,
// and the way from a bar to its slices.
#pragma once

#include "gui/model/commands.h"
#include "gui/model/model.h"
#include "gui/widgets/ui.h"
#include "instrumentation/analysis/comparison.h"

namespace runahead::gui {

// Draws into what is left of the current window.
void compared_name(const PanelModel& model, const PanelUi& ui, const analysis::NamePair& pair, Commands& out);

}  // namespace runahead::gui
