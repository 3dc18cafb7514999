// What the strip says, as words. Pure: no ImGui.
#pragma once

#include <string>
#include <vector>

#include "gui/text/text.h"
#include "instrumentation/analysis/segment.h"

namespace runahead::gui {

// One figure of the strip as words. Pure, tested.
struct StripFigure {
  Text name{};
  std::string before, after, ratio;  // before and ratio are empty where there is nothing to compare with
};
[[nodiscard]] std::vector<StripFigure> strip_figures(const analysis::BeforeAfter& figures);
// The first note of a run ("start: none") has no before.
[[nodiscard]] bool has_before(const analysis::BeforeAfter& figures);
// True until the figures after the toggle rest on enough to be trusted.
[[nodiscard]] bool still_warming_up(const analysis::SegmentFigures& after);

}  // namespace runahead::gui
