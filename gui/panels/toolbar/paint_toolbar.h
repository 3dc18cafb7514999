// The top of the window. The first row has the choice of workload and device, buttons for the run and for
// files, and the menu. The second row has the barriers.
#pragma once

#include "gui/model/model.h"
#include "gui/widgets/ui.h"

namespace runahead::gui {

void toolbar_panel(const PanelModel& model, const PanelUi& ui, Commands& out);

// Draws the entries of the window's menu. Call within an ImGui popup: after BeginPopup(), before EndPopup().
void window_menu(const PanelModel& model, const PanelUi& ui, Commands& out);

// Asks the user for the file to record to. If a recording is being written already, ends that recording
// instead.
void toggle_recording(const PanelModel& model, Commands& out);

// Returns the height of the row of barriers. If the row does not fit into `width_px`, the row's title is
// omitted. If the row still does not fit, the buttons are in two rows.
[[nodiscard]] float barrier_panel_height(const PanelModel& model, const PanelUi& ui, float width_px);
void barrier_panel(const PanelModel& model, const PanelUi& ui, Commands& out);

// The switches and parameters of the program whose recording is followed, in as many rows as they need. The
// height is 0 without any.
[[nodiscard]] float controls_panel_height(const PanelModel& model, const PanelUi& ui, float width_px);
void controls_panel(const PanelModel& model, const PanelUi& ui, Commands& out);

}  // namespace runahead::gui
