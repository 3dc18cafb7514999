// The report of memory: who holds a device's memory at its peak, or at the moment that a person points at: by
// category, by op, the largest blocks; each row leads to the op.
#pragma once

#include <optional>

#include "gui/model/commands.h"
#include "gui/model/model.h"
#include "gui/widgets/table.h"
#include "gui/widgets/ui.h"

namespace runahead::gui {

struct MemoryView {
  TrackId counter = kNoTrack;  // as chosen; kNoTrack: the device that had most
  bool in_range = false;
  ListOrder order;
  // What is drawn: the last answer, but under the mouse the rows stay as they are.
  std::optional<MemoryAnswer> shown;
  bool under_mouse = false;
};

// Draws into what is left of the current window. Changes only `view`.
void memory_panel(const PanelModel& model, const PanelUi& ui, MemoryView& view, Commands& out);

}  // namespace runahead::gui
