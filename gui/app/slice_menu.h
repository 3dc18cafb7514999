// The menu of a slice in the timeline.
#pragma once

#include <optional>

#include "gui/panels/find/find_panel.h"
#include "gui/timeline/timeline_commands.h"
#include "gui/widgets/ui.h"

namespace runahead::gui {

// The slice whose menu is open; kept between frames.
struct SliceMenu {
  SliceRef slice;
};

// If `asked` names a slice, selects the slice, opens its menu at the mouse position and resets `asked`. The
// menu zooms to the slice, finds all slices with its name (`find`), measures it, or copies its name. Call
// this in each frame, always in the same ImGui window.
void slice_menu(const PanelUi& ui, const PanelModel& model, std::optional<SliceRef>& asked, SliceMenu& menu,
                FindPanel& find, Commands& out);

}  // namespace runahead::gui
