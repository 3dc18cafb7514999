// Why a wait took so long, as one bar of its parts with their legend.
#pragma once

#include "gui/widgets/ui.h"
#include "instrumentation/analysis/wait_reason.h"

namespace runahead::gui {

void draw_wait_bar(const PanelUi& ui, const analysis::WaitSplit& split);

}  // namespace runahead::gui
