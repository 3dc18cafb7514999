// The report of waits: which line waited, for which op, mostly because of what, worst first; each row leads
// to the longest of its waits.
#pragma once

#include "gui/panels/commands.h"
#include "gui/panels/model.h"
#include "gui/panels/table.h"
#include "gui/panels/ui.h"

namespace runahead::gui {

struct WaitsView {
  bool in_range = false;
  ListOrder order;
};

// Draws into what is left of the current window. Changes only `view`.
void waits_panel(const PanelModel& model, const PanelUi& ui, WaitsView& view, Commands& out);

}  // namespace runahead::gui
