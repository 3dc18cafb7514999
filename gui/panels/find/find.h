// Finding slices: by name and by value, as a list in which each row leads to its slice, with a histogram of
// how long they took; of nothing typed, the statistics of all names, of which one can be taken.
#pragma once

#include "gui/model/commands.h"
#include "gui/model/model.h"
#include "gui/widgets/table.h"
#include "gui/widgets/ui.h"

namespace runahead::gui {

struct FindView {
  FindWords words;     // as they are being written
  bool fresh = false;  // the field takes the keyboard
  ListOrder name_order;
};

// Draws into what is left of the current window. Changes only `view`.
void find_panel(const PanelModel& model, const PanelUi& ui, FindView& view, Commands& out);

}  // namespace runahead::gui
