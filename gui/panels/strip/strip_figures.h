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

// The words of an answer. The headline's font has only the characters of these texts.
inline constexpr Text kAnswerTexts[] = {
    Text::kAnswerSlower,          Text::kAnswerTimesSlower, Text::kAnswerFaster,
    Text::kAnswerTimesFaster,     Text::kAnswerSameSpeed,   Text::kAnswerLessMemory,
    Text::kAnswerTimesLessMemory, Text::kAnswerMoreMemory,  Text::kAnswerTimesMoreMemory,
    Text::kAnswerSameMemory,      Text::kAnswerSpeed,       Text::kAnswerMemory};

// One line of the answer in large type: what the last change did to the speed, or to the memory.
struct StripAnswer {
  Text name{};                   // the figure that it is about
  std::string words;             // "34 % slower"; without a change the figure itself: "412 steps/s"
  std::string note;              // after the words, small: the spread, or why the words are not final
  bool final = true;             // false: a side is not settled; the words are then grey
  double before = 0, after = 0;  // lengths of the two bars; both 0: no bars
  std::string before_text, after_text;
};
// Returns the answer about speed, and about memory. A figure that is 0 on both sides is omitted. `goes_on`:
// the run still adds data.
[[nodiscard]] std::vector<StripAnswer> strip_answers(const FigureFacts& facts, bool goes_on);

// If more of a simulated device's ops are late, the strip says that the host is too slow for the model.
inline constexpr double kMostLateShare = 0.02;
// Returns why the figures are not final: the host is too slow for the model, or the phase of a side.
// `goes_on`: the run still adds data. nullopt: the figures are final, or there is nothing to compare yet.
[[nodiscard]] std::optional<Text> doubt(const FigureFacts& facts, bool goes_on);
// True if there are figures before the change. False for the first mark of the barrier ("start: none").
[[nodiscard]] bool has_before(const analysis::BeforeAfter& figures);
// A side is the time before or the time after the last barrier change. Returns the words that the strip shows
// for a side that has no steady rate yet. `phase`: the phase of this side. `goes_on`: true if this side will
// get more data. Returns nullopt if the side is steady. Also returns nullopt if there is nothing to compare
// and the side will get no more data.
[[nodiscard]] std::optional<Text> phase_word(const FigureFacts& facts, analysis::Phase phase, bool goes_on);

}  // namespace runahead::gui
