// Choosing a file: a list of the folder, a field for the path, all of it usable from the keyboard.
#pragma once

#include "gui/model/file_choice.h"
#include "gui/model/model.h"
#include "gui/widgets/ui.h"

namespace runahead::gui {

void file_dialog_panel(const PanelModel& model, const PanelUi& ui, FileDialog& dialog, Commands& out);

}  // namespace runahead::gui
