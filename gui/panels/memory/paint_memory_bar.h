// A device's memory at a moment by category: a bar, and a line for each.
#pragma once

#include "gui/widgets/ui.h"
#include "instrumentation/analysis/memory_report.h"

namespace runahead::gui {

// As wide as what is left of the line.
void draw_memory_bar(const PanelUi& ui, const analysis::MemoryReport& report);

}  // namespace runahead::gui
