// The texts of the strip. Pure: no ImGui.
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
  std::string spread;                // of the ratio: "± 3 %"; empty: none
};
[[nodiscard]] std::vector<StripFigure> strip_figures(const FigureFacts& facts);
// False for the first note of a run ("start: none").
[[nodiscard]] bool has_before(const analysis::BeforeAfter& figures);
// True if both sides have a steady rate: only then their ratios are an answer.
[[nodiscard]] bool both_settled(const FigureFacts& facts);

// What the strip says about a side that is not settled. `goes_on`: more data of this side will come.
enum class StripSide : std::uint8_t { kBefore, kAfter };
// nullopt: it is settled, or there is nothing to compare and nothing more comes.
[[nodiscard]] std::optional<Text> phase_word(const FigureFacts& facts, StripSide side, bool goes_on);

}  // namespace runahead::gui
