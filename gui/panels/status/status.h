// The bottom line (what runs, what was lost, which file), the line of an error, and the progress of long
// work.
#pragma once

#include "gui/model/model.h"
#include "gui/widgets/ui.h"

namespace runahead::gui {

void status_panel(const PanelModel& model, const PanelUi& ui, Commands& out);
// Over the timeline, where the person looks; draws nothing without an error.
void error_panel(const PanelModel& model, const PanelUi& ui, ImVec2 centre_top, Commands& out);
// Over the timeline; draws nothing without long work.
void job_panel(const PanelModel& model, const PanelUi& ui, ImVec2 centre_top, Commands& out);

}  // namespace runahead::gui
