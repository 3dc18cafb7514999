// Two histograms of durations laid over each other: A as filled bars, B as an outline, each as shares of its
// own slices, so that sides of different length can be compared.
#pragma once

#include <optional>

#include "gui/panels/compare/compare_words.h"
#include "gui/widgets/ui.h"
#include "instrumentation/analysis/duration_histogram.h"

namespace runahead::gui {

// Fills `size`. Returns the bin that was clicked.
[[nodiscard]] std::optional<OverlaidBin> draw_overlaid_histograms(const PanelUi& ui,
                                                                  const analysis::DurationHistogram& a,
                                                                  const analysis::DurationHistogram& b,
                                                                  ImVec2 size);

}  // namespace runahead::gui
