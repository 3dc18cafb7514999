// The strings of the strip. Pure: no ImGui.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gui/model/model.h"
#include "gui/text/text.h"
#include "instrumentation/analysis/segment.h"

namespace runahead::gui {

// A StripFigure is one figure of the strip, as words. Pure, tested.
struct StripFigure {
  Text name{};
  std::string before, after, ratio;  // before and ratio are empty if there is nothing to compare with
  std::string spread;                // spread of the ratio: "± 3 %"; empty: none
  std::string subject = {};          // what the figure describes: "gpu 0"; may be empty
};
// Returns the name with the subject: "Busy: gpu 0".
[[nodiscard]] std::string name_of(const StripFigure& figure);
// Returns the figures of a complete trace. A figure that the trace does not contain is omitted. If there are
// more than two devices, they share one figure: from the least busy to the busiest device.
[[nodiscard]] std::vector<StripFigure> summary_figures(const analysis::TraceSummary& summary);
[[nodiscard]] std::vector<StripFigure> strip_figures(const FigureFacts& facts);
// True if the trace has figures from before the last change. False if the barrier has not changed since the
// first mark of the run ("start: none").
[[nodiscard]] bool has_before(const analysis::BeforeAfter& figures);
// A side is the time before or the time after the last barrier change. Returns the words that the strip shows
// for a side that has no steady rate yet. `phase`: the phase of this side. `goes_on`: true if this side will
// get more data. Returns nullopt if the side is steady. Also returns nullopt if there is nothing to compare
// and the side will get no more data.
[[nodiscard]] std::optional<Text> phase_word(const FigureFacts& facts, analysis::Phase phase, bool goes_on);

}  // namespace runahead::gui
