// The strings of the strip. Pure: no ImGui.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gui/answers/figure_facts.h"
#include "gui/text/text.h"
#include "instrumentation/analysis/segment.h"

namespace runahead::gui {

// A figure of the strip: a number with its name, as text. For example, steps per second before and after the
// last change of the barrier.
struct StripFigure {
  Text name{};
  std::string before, after, ratio;  // before, ratio: empty if there is no value before the change
  std::string spread;                // uncertainty of the ratio: "± 3 %"; empty: not known
  std::string subject = {};          // the device, thread or counter of the figure: "gpu 0"; may be empty
  std::string note = {};             // small text after the value: "76 % by the limit"; may be empty
  std::string hint = {};             // sentences for the figure's tooltip; may be empty
};
// Returns the figure's name and its subject: "Busy: gpu 0".
[[nodiscard]] std::string name_of(const StripFigure& figure);
// Returns the figures of a complete trace. A figure that the trace does not contain is omitted. If there are
// more than two devices, one figure shows the range of their busy times, from the least busy to the busiest
// device.
[[nodiscard]] std::vector<StripFigure> summary_figures(const analysis::TraceSummary& summary);
// Returns the figures before and after the last change. A figure that the trace does not contain is omitted.
[[nodiscard]] std::vector<StripFigure> strip_figures(const FigureFacts& facts);

// The texts that an answer can contain. Fonts::headline, the large font, is built with only the CJK
// characters of these texts, so each text of an answer must be in this list.
inline constexpr Text kAnswerTexts[] = {
    Text::kAnswerSlower,          Text::kAnswerTimesSlower, Text::kAnswerFaster,
    Text::kAnswerTimesFaster,     Text::kAnswerSameSpeed,   Text::kAnswerLessMemory,
    Text::kAnswerTimesLessMemory, Text::kAnswerMoreMemory,  Text::kAnswerTimesMoreMemory,
    Text::kAnswerSameMemory,      Text::kAnswerSpeed,       Text::kAnswerMemory};

// One line of the answer in large type: what the last change did to the speed, or to the memory.
struct StripAnswer {
  Text name{};                   // name of the compared figure
  std::string words;             // "34 % slower"; if nothing is compared, the value: "412 steps/s"
  std::string note;              // small text after `words`: the spread, or why `words` is not final
  bool final = true;             // false: the answer may still change (see doubt()), so it is drawn grey
  double before = 0, after = 0;  // values that the two bars show; both 0: no bars
  std::string before_text, after_text;
  double predicted = 0;                    // for `after`, before the barrier was chosen; 0: no prediction
  std::string prediction, predicted_hint;  // "predicted 412: 0.7 % off"; a sentence for the tooltip
};
// Returns up to two answers: one about speed, one about memory. An answer is omitted if its value is 0 before
// and after the change. `goes_on`: true if the run still adds data.
[[nodiscard]] std::vector<StripAnswer> strip_answers(const FigureFacts& facts, bool goes_on);
// Adds what was predicted for the barrier of `facts` before it was chosen. Its error is shown only if the
// answer is final. Does nothing if the prediction is for another barrier.
void add_predictions(const FigureFacts& facts, const std::optional<PressedForecast>& pressed,
                     std::vector<StripAnswer>& answers);

// Returns why the figures are not final: the host is slower than the modelled device, or one side (the time
// before or after the barrier change) has no steady rate yet. In the second case, the text names the phase of
// this side. `goes_on`: the run still adds data. nullopt: the figures are final, or there is nothing to
// compare and the run adds no more data.
[[nodiscard]] std::optional<Text> doubt(const FigureFacts& facts, bool goes_on);
// True if there are figures before the change. False if the barrier has not changed since the run's start:
// the mark "start: none" has no figures before it.
[[nodiscard]] bool has_before(const analysis::BeforeAfter& figures);
// A side is the time before or the time after the last barrier change. Returns the words that the strip shows
// for a side that has no steady rate yet. `phase`: the phase of this side. `goes_on`: true if this side will
// get more data. Returns nullopt if the side is steady. Also returns nullopt if there is nothing to compare
// and the side will get no more data.
[[nodiscard]] std::optional<Text> phase_word(const FigureFacts& facts, analysis::Phase phase, bool goes_on);

// Returns what a change from `before` to `after` did, and whether the difference is larger than `noise` (0.03
// is 3 %): "34 % slower", "x12 less memory". REQUIRES: both are positive.
[[nodiscard]] std::string speed_change(double before, double after, double noise);
[[nodiscard]] std::string memory_change(double before, double after);

// Returns the title of the strip: the label of the last barrier change, and before it the name of the part of
// the run that the figures are of, if the run has several parts.
[[nodiscard]] std::string strip_title(const FigureFacts& facts);

}  // namespace runahead::gui
