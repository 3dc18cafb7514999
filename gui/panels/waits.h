// The report of waits: which line waited, for which op, mostly because of what, worst first; each row leads
// to the longest of its waits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gui/panels/commands.h"
#include "gui/panels/model.h"
#include "gui/panels/ui.h"

namespace runahead::gui {

struct WaitsView {
  bool in_range = false;
  // Of the answer of that number, the order in which its groups are listed.
  std::vector<std::size_t> order;
  std::uint64_t ordered_answer = 0;
};

// Draws into what is left of the current window. Changes only `view`.
void waits_panel(const PanelModel& model, const PanelUi& ui, WaitsView& view, Commands& out);

}  // namespace runahead::gui
