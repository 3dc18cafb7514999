// The strings of the strip. Pure: no ImGui.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gui/model/model.h"
#include "gui/text/text.h"
#include "instrumentation/analysis/segment.h"

namespace runahead::gui {

// A StripFigure is one figure of the strip as words. Pure, tested.
struct StripFigure {
  Text name{};
  std::string before, after, ratio;  // before and ratio are empty if there is nothing to compare with
  std::string spread;                // spread of the ratio: "± 3 %"; empty: none
  std::string subject = {};          // what the figure is about, after its name: "gpu 0"; empty: nothing
};
// Returns the name with the subject: "Busy: gpu 0".
[[nodiscard]] std::string name_of(const StripFigure& figure);
// Returns the figures of a whole trace. A figure that the trace does not contain is left out. More than two
// devices share one figure, from the least busy to the busiest.
[[nodiscard]] std::vector<StripFigure> summary_figures(const analysis::TraceSummary& summary);
[[nodiscard]] std::vector<StripFigure> strip_figures(const FigureFacts& facts);
// Returns false for the first note about the barrier ("start: none"), which has no figures before it.
[[nodiscard]] bool has_before(const analysis::BeforeAfter& figures);
// What the strip says about a side of `facts` that has no steady rate yet. `phase`: the side's phase.
// `goes_on`: more data of this side will come. Returns nullopt if the side is settled, or if there is nothing
// to compare and no more data will come.
[[nodiscard]] std::optional<Text> phase_word(const FigureFacts& facts, analysis::Phase phase, bool goes_on);

}  // namespace runahead::gui
