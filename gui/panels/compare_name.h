// One name of a comparison: percentiles of both sides with ratios, the two histograms laid over each other,
// and the way from a bar to its slices. And the tag that tells A from B.
#pragma once

#include "gui/panels/commands.h"
#include "gui/panels/model.h"
#include "gui/panels/ui.h"
#include "instrumentation/analysis/comparison.h"

namespace runahead::gui {

// Draws into what is left of the current window.
void compared_name(const PanelModel& model, const PanelUi& ui, const analysis::NamePair& pair, Commands& out);

// A letter in a box, in the colour and shape of its side: A filled, B outlined. As high as a line.
void side_tag(const PanelUi& ui, CompareSide side);

}  // namespace runahead::gui
