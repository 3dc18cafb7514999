#include "gui/lesson/answer_words.h"

#include <algorithm>

#include "instrumentation/base/format.h"

namespace runahead::gui {

using samples::Outcome;
using samples::Prediction;
using samples::ResultUnit;
using samples::Verdict;

double typed_unit(ResultUnit unit) {
  switch (unit) {
    case ResultUnit::kShare:
      return 0.01;
    case ResultUnit::kBytes:
      return 1e6;
    default:
      return 1;
  }
}

std::string typed_unit_name(ResultUnit unit) {
  switch (unit) {
    case ResultUnit::kShare:
      return "%";
    case ResultUnit::kBytes:
      return "MB";
    case ResultUnit::kRatio:
      return text(Text::kTimes);
    default:
      return {};
  }
}

std::string predicted_words(const Prediction& asked, std::optional<double> predicted) {
  if (!predicted) return text(Text::kNoFigure);
  if (asked.choices.empty()) return samples::lesson_text(*predicted, asked.unit);
  const auto index = static_cast<std::size_t>(std::max(0.0, *predicted));
  return std::string(index < asked.choices.size() ? translated(asked.choices[index].words)
                                                  : text(Text::kNoFigure));
}

std::string measured_words(const Prediction& asked, const Outcome& outcome) {
  if (!outcome.measured) return text(Text::kNotMeasuredYet);
  const std::string figure = samples::lesson_text(*outcome.measured, asked.unit);
  if (outcome.right && asked.unit == ResultUnit::kYesOrNo)
    return translated(asked.choices[*outcome.right].words);
  return outcome.right ? translated(asked.choices[*outcome.right].words) + " (" + figure + ")" : figure;
}

std::string verdict_words(const Outcome& outcome) {
  switch (outcome.verdict) {
    case Verdict::kNotMeasured:
      return text(Text::kNotMeasuredYet);
    case Verdict::kNotSettled:
      return text(Text::kVerdictNotSettled);
    case Verdict::kNotPredicted:
      return text(Text::kNotPredicted);
    case Verdict::kRight:
      return text(Text::kVerdictRight);
    case Verdict::kClose:
      return text(Text::kVerdictClose);
    case Verdict::kOther:
      return text(Text::kVerdictOther);
    case Verdict::kTooLow:
    case Verdict::kTooHigh:
      break;
  }
  const bool low = outcome.verdict == Verdict::kTooLow;
  std::string words = text(low ? Text::kVerdictTooLow : Text::kVerdictTooHigh);
  if (outcome.factor) words += ", " + format_ratio(low ? *outcome.factor : 1 / *outcome.factor);
  return words;
}

}  // namespace runahead::gui
