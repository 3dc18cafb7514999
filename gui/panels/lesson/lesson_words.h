// What the lesson's steps say of predictions and figures. No ImGui.
#pragma once

#include <optional>
#include <string>

#include "gui/model/lesson_state.h"
#include "gui/text/text.h"

namespace runahead::gui {

// What a person types stands for so much in the unit's own terms: 1 % is 0.01, 1 MB is 1e6 bytes.
[[nodiscard]] double typed_unit(samples::ResultUnit unit);
// The unit behind the field that they type into: "%", "MB", "times"; empty: a plain number.
[[nodiscard]] std::string typed_unit_name(samples::ResultUnit unit);

// What was predicted, as a person reads it; nothing predicted: "-".
[[nodiscard]] std::string predicted_words(const samples::Prediction& asked, std::optional<double> predicted);
// What happened: the figure, of choices the one that held, with the figure behind it if it is one.
[[nodiscard]] std::string measured_words(const samples::Prediction& asked, const samples::Outcome& outcome);
// "close", "too low: x3.2", ...
[[nodiscard]] std::string verdict_words(const samples::Outcome& outcome);

[[nodiscard]] Text stage_name(LessonStage stage);
// All are there.
[[nodiscard]] bool all_predicted(const LessonState& state);

}  // namespace runahead::gui
