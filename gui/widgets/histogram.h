// Draws a histogram of durations: bars on a logarithmic axis, percentiles as lines, and a tooltip for the bar
// under the mouse.
#pragma once

#include <optional>

#include "gui/widgets/ui.h"
#include "instrumentation/analysis/duration_histogram.h"

namespace runahead::gui {

// Draws the histogram into `size`. Returns the bar that the user clicked; nullopt: none.
[[nodiscard]] std::optional<analysis::DurationHistogram::Bin> draw_histogram(
    const PanelUi& ui, const analysis::DurationHistogram& histogram, ImVec2 size);

}  // namespace runahead::gui
