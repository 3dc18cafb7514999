// The tag that tells the sides of a comparison apart.
#pragma once

#include "gui/model/comparison.h"
#include "gui/widgets/ui.h"

namespace runahead::gui {

// A letter in a box, in the colour and shape of its side: A filled, B outlined. As high as a line.
void side_tag(const PanelUi& ui, CompareSide side);

}  // namespace runahead::gui
