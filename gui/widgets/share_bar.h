// A whole as one bar of its parts, with their legend below it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "gui/widgets/ui.h"
#include "instrumentation/analysis/waits/wait_reason.h"

namespace runahead::gui {

struct BarPart {
  std::string name, value;  // as the legend says them
  double share = 0;         // 0..1; those of all parts sum to 1
  Colour colour;
};
// By the name `widget`. Nothing without parts.
void draw_share_bar(const PanelUi& ui, std::string_view widget, std::span<const BarPart> parts);

// Why a wait took so long.
void draw_wait_bar(const PanelUi& ui, const analysis::WaitSplit& split);

}  // namespace runahead::gui
