// The report of waits: which line waited, for which op, mostly because of what, worst first; each row leads
// to the longest of its waits.
#pragma once

#include "gui/model/commands.h"
#include "gui/model/model.h"
#include "gui/widgets/table.h"
#include "gui/widgets/ui.h"

namespace runahead::gui {

struct WaitsView {
  bool in_range = false;
  ListOrder order;
};

// Draws into what is left of the current window. Changes only `view`.
void waits_panel(const PanelModel& model, const PanelUi& ui, WaitsView& view, Commands& out);

}  // namespace runahead::gui
