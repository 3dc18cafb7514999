// A bar that is divided into parts, with a legend below.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "gui/widgets/ui.h"
#include "instrumentation/analysis/waits/wait_reason.h"

namespace runahead::gui {

struct BarPart {
  std::string name, value;  // as shown in the legend
  double share = 0;         // 0..1; the shares of all parts sum to 1
  Colour colour;
  std::string hint{};  // tooltip of the part's line in the legend; may be empty
};
// Draws the bar and its legend; draws nothing if there are no parts. `widget` is the name of the bar in the
// report that tests read (mark_widget()).
void draw_share_bar(const PanelUi& ui, std::string_view widget, std::span<const BarPart> parts);

// Draws a bar that shows why a wait took so long: its parts are the parts of the waiting time (WaitPart).
void draw_wait_bar(const PanelUi& ui, const analysis::WaitSplit& split);

}  // namespace runahead::gui
