// Drawing that the parts of the details panel share.
#pragma once

#include <string>

#include "gui/widgets/table.h"

namespace runahead::gui {

// Draws a figure, aligned right, between two horizontal positions of the current window.
void figure_at(const PanelUi& ui, const std::string& figure, float left, float right, bool dim = false);
// Draws the title of the table that follows, with the copy and save buttons at the end of the line.
void table_line(const PanelUi& ui, Text name, const char* widget, const char* file, const MakeRows& rows,
                Commands& out);

}  // namespace runahead::gui
