// Draws the file dialog over the window, and the error line or the progress of long work over the timeline.
#pragma once

#include "gui/model/file_choice.h"
#include "gui/model/model.h"
#include "gui/widgets/ui.h"

namespace runahead::gui {

void file_dialog_panel(const PanelModel& model, const PanelUi& ui, FileDialog& dialog, Commands& out);

// Draws the error, if there is one.
void error_panel(const PanelModel& model, const PanelUi& ui, ImVec2 centre_top, Commands& out);
// Draws what was exported, if there is something: its name and size, and a button that shows it.
void page_panel(const PanelModel& model, const PanelUi& ui, ImVec2 centre_top, Commands& out);
// Draws the progress of long work, if there is any.
void job_panel(const PanelModel& model, const PanelUi& ui, ImVec2 centre_top, Commands& out);

}  // namespace runahead::gui
