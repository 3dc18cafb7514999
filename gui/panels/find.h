// Finding slices: by name and by value, as a list in which each row leads to its slice, with a histogram of
// how long they took; of nothing typed, the statistics of all names, of which one can be taken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gui/panels/commands.h"
#include "gui/panels/model.h"
#include "gui/panels/ui.h"

namespace runahead::gui {

struct FindView {
  FindWords words;     // as they are being written
  bool fresh = false;  // the field takes the keyboard
  // Of the answer of that number, the order in which its names are listed.
  std::vector<std::size_t> name_order;
  std::uint64_t ordered_answer = 0;
};

// Draws into what is left of the current window. Changes only `view`.
void find_panel(const PanelModel& model, const PanelUi& ui, FindView& view, Commands& out);

}  // namespace runahead::gui
