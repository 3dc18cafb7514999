// The texts of the strip. Pure: no ImGui.
#pragma once

#include <string>
#include <vector>

#include "gui/text/text.h"
#include "instrumentation/analysis/segment.h"

namespace runahead::gui {

// A StripFigure is one figure of the strip as words. Pure, tested.
struct StripFigure {
  Text name{};
  std::string before, after, ratio;  // before and ratio are empty if there is nothing to compare with
};
[[nodiscard]] std::vector<StripFigure> strip_figures(const analysis::BeforeAfter& figures);
// False for the first note of a run ("start: none").
[[nodiscard]] bool has_before(const analysis::BeforeAfter& figures);
// True while there is too little data after the change of the barrier for figures that can be trusted.
[[nodiscard]] bool still_warming_up(const analysis::SegmentFigures& after);

}  // namespace runahead::gui
