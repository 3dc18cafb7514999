// The strings of the strip. Pure: no ImGui.
#pragma once

#include <cstdint>
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
};
[[nodiscard]] std::vector<StripFigure> strip_figures(const FigureFacts& facts);
// Returns false for the first note about the barrier ("start: none"), which has no figures before it.
[[nodiscard]] bool has_before(const analysis::BeforeAfter& figures);
// True if both sides have a steady rate. Without a steady rate, a ratio is not an answer.
[[nodiscard]] bool both_settled(const FigureFacts& facts);

// StripSide names a side that is not settled (has no steady rate yet); phase_word() says why. `goes_on`: more
// data of this side will come.
enum class StripSide : std::uint8_t { kBefore, kAfter };
// Returns nullopt if the side is settled, or if there is nothing to compare and no more data will come.
[[nodiscard]] std::optional<Text> phase_word(const FigureFacts& facts, StripSide side, bool goes_on);

}  // namespace runahead::gui
