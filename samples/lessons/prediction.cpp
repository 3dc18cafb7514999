#include "samples/lessons/prediction.h"

#include <algorithm>
#include <cmath>

#include "instrumentation/base/check.h"
#include "instrumentation/base/format.h"

namespace runahead::samples {

namespace {

Outcome judge_number(const Prediction& prediction, double predicted, double measured) {
  Outcome outcome{.verdict = predicted < measured ? Verdict::kTooLow : Verdict::kTooHigh,
                  .measured = measured};
  if (prediction.unit == ResultUnit::kShare) {
    if (std::abs(predicted - measured) <= 0.1) outcome.verdict = Verdict::kClose;
    return outcome;
  }
  if (predicted == measured) outcome.verdict = Verdict::kRight;
  if (predicted <= 0 || measured <= 0) return outcome;
  outcome.factor = measured / predicted;
  if (outcome.verdict != Verdict::kRight &&
      std::max(*outcome.factor, 1 / *outcome.factor) <= prediction.close)
    outcome.verdict = Verdict::kClose;
  return outcome;
}

Outcome judge_choice(const Prediction& prediction, std::optional<double> predicted, double measured) {
  Outcome outcome{.verdict = Verdict::kNotPredicted, .measured = measured};
  const auto holds = [&](const Choice& choice) { return choice.from <= measured && measured < choice.below; };
  const auto right = std::ranges::find_if(prediction.choices, holds);
  if (right != prediction.choices.end())
    outcome.right = static_cast<std::size_t>(right - prediction.choices.begin());
  if (predicted) {
    const bool hit = outcome.right && static_cast<double>(*outcome.right) == *predicted;
    outcome.verdict = hit ? Verdict::kRight : Verdict::kOther;
  }
  return outcome;
}

}  // namespace

Outcome judge_value(const Prediction& prediction, std::optional<double> predicted,
                    std::optional<double> measured, bool settled) {
  if (!measured) return {};
  if (!settled) return {.verdict = Verdict::kNotSettled, .measured = measured};
  if (!prediction.choices.empty()) return judge_choice(prediction, predicted, *measured);
  if (!predicted) return {.verdict = Verdict::kNotPredicted, .measured = measured};
  return judge_number(prediction, *predicted, *measured);
}

std::string lesson_text(double value, ResultUnit unit) {
  const bool measured = unit == ResultUnit::kNumber && value != std::floor(value);
  return measured ? format_count(value) : result_text(value, unit);
}

std::string filled_with_figures(std::string_view paragraph, const FigureWords& figure) {
  std::string out;
  while (!paragraph.empty()) {
    const std::size_t open = paragraph.find('{');
    out += paragraph.substr(0, open);
    if (open == std::string_view::npos) break;
    const std::size_t close = paragraph.find('}', open);
    RUNAHEAD_CHECK(close != std::string_view::npos);
    out += figure(paragraph.substr(open + 1, close - open - 1));
    paragraph.remove_prefix(close + 1);
  }
  return out;
}

}  // namespace runahead::samples
