// What floats over the timeline, where a person looks: the line of an error, and the progress of long work.
#pragma once

#include "gui/model/model.h"
#include "gui/widgets/ui.h"

namespace runahead::gui {

// Draws nothing without an error.
void error_panel(const PanelModel& model, const PanelUi& ui, ImVec2 centre_top, Commands& out);
// Draws nothing without long work.
void job_panel(const PanelModel& model, const PanelUi& ui, ImVec2 centre_top, Commands& out);

}  // namespace runahead::gui
