// The dependency graph: which op waits for which, beside the timeline and linked with it.
#pragma once

#include "gui/graph/graph_view.h"
#include "gui/model/commands.h"
#include "gui/model/model.h"
#include "gui/widgets/ui.h"

namespace runahead::gui {

// Draws into what is left of the current window. Changes only `view`.
void graph_panel(const PanelModel& model, const PanelUi& ui, GraphView& view, Commands& out);

}  // namespace runahead::gui
