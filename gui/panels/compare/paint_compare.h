// Functions shared by the files that draw a comparison: the buttons that choose what to compare, the details
// of one slice name, and the plot with the histograms of both sides.
#pragma once

#include <optional>

#include "gui/answers/compare_words.h"
#include "gui/model/app_commands.h"
#include "gui/model/model.h"
#include "gui/widgets/ui.h"
#include "instrumentation/analysis/comparison.h"
#include "instrumentation/analysis/duration_histogram.h"

namespace runahead::gui {

void compare_choices(const PanelModel& model, const PanelUi& ui, Commands& out);

// Draws the details of one slice name (percentiles, histograms and listed slices of both sides) into the rest
// of the current window.
void compared_name(const PanelModel& model, const PanelUi& ui, const analysis::NamePair& pair, Commands& out);

// Draws both histograms into `size`. Returns the bin that was clicked; nullopt: none.
[[nodiscard]] std::optional<OverlaidBin> draw_overlaid_histograms(const PanelUi& ui,
                                                                  const analysis::DurationHistogram& a,
                                                                  const analysis::DurationHistogram& b,
                                                                  ImVec2 size);

}  // namespace runahead::gui
