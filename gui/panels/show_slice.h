// How a panel leads to a slice: it is selected, and brought into view if it is not there. Pure.
#pragma once

#include "gui/panels/commands.h"
#include "gui/panels/model.h"

namespace runahead::gui {

void show_slice(const PanelModel& model, const SliceRef& slice, Commands& out);

}  // namespace runahead::gui
