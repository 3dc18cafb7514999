// Functions shared by the files that draw a comparison: the choices above the tables, the view of one name,
// and the plot with both histograms.
#pragma once

#include <optional>

#include "gui/model/app_commands.h"
#include "gui/model/model.h"
#include "gui/panels/compare/compare_words.h"
#include "gui/widgets/ui.h"
#include "instrumentation/analysis/comparison.h"
#include "instrumentation/analysis/duration_histogram.h"

namespace runahead::gui {

void compare_choices(const PanelModel& model, const PanelUi& ui, Commands& out);

// Draws the view of one name into the rest of the current window.
void compared_name(const PanelModel& model, const PanelUi& ui, const analysis::NamePair& pair, Commands& out);

// Draws both histograms into `size`. Returns the bin that was clicked; nullopt: none.
[[nodiscard]] std::optional<OverlaidBin> draw_overlaid_histograms(const PanelUi& ui,
                                                                  const analysis::DurationHistogram& a,
                                                                  const analysis::DurationHistogram& b,
                                                                  ImVec2 size);

}  // namespace runahead::gui
