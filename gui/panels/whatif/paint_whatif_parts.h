// The parts of the panel What if that are drawn by sources of their own.
#pragma once

#include "gui/panels/whatif/whatif_panel.h"
#include "gui/widgets/ui.h"

namespace runahead::gui {

// Draws the controls of the change made by hand, and its prediction below them.
void paint_hand(WhatIfPanel& panel, const PanelUi& ui);

// Draws throughput (upwards) against peak memory (to the right) for windows of 1 to 16 steps into `size`. The
// knee and the measured run are marked. A trace without memory: a sentence.
void paint_window_curve(const PanelUi& ui, const WhatIfAnswer& answer, ImVec2 size);

}  // namespace runahead::gui
