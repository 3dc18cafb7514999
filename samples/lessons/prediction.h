// A question that a lesson asks before anything runs, and how an answer is judged. Plain data without the
// engine, so that the viewer of pages has it too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "samples/result_unit.h"

namespace runahead::samples {

struct Choice {
  std::string words;
  // The choice is right if from <= measured value < below.
  double from = -std::numeric_limits<double>::infinity();
  double below = std::numeric_limits<double>::infinity();
};

struct Prediction {
  std::string question;
  std::string formula;  // formula that computes the measured value from figures of the parts
  ResultUnit unit = ResultUnit::kRatio;
  std::vector<Choice> choices{};  // empty: the user enters a number in `unit`
  // A predicted number is close if it is wrong by at most this factor (a share: by at most 0.1).
  double close = 1.5;
};

enum class Verdict : std::uint8_t {
  kNotMeasured,
  kNotSettled,
  kNotPredicted,
  kRight,
  kClose,
  kTooLow,
  kTooHigh,
  kOther
};
struct Outcome {
  Verdict verdict = Verdict::kNotMeasured;
  std::optional<double> measured;
  std::optional<std::size_t> right;  // the choice that was right
  std::optional<double> factor;      // measured / predicted; not set for shares, or if a value is 0 or less
};
// predicted: the number in base units (a share 0..1, bytes, seconds), or the index of the choice. measured:
// nullopt: not measured. settled: false: the measured value is not final, so there is no verdict.
[[nodiscard]] Outcome judge_value(const Prediction& prediction, std::optional<double> predicted,
                                  std::optional<double> measured, bool settled = true);

// A figure as text for a lesson: like result_text(), but a number that is not an integer has three digits.
[[nodiscard]] std::string lesson_text(double value, ResultUnit unit);
// The paragraph of an explanation with each {name} replaced by figure(name).
using FigureWords = std::function<std::string(std::string_view name)>;
[[nodiscard]] std::string filled_with_figures(std::string_view paragraph, const FigureWords& figure);

}  // namespace runahead::samples
