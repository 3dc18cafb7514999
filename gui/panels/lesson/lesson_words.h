// The lesson's texts about predictions and figures. No ImGui.
#pragma once

#include <optional>
#include <string>

#include "gui/model/lesson_state.h"
#include "gui/text/text.h"

namespace runahead::gui {

// The factor from the typed number to the unit: 1 % is 0.01, 1 MB is 1e6 bytes.
[[nodiscard]] double typed_unit(samples::ResultUnit unit);
// The unit shown behind the field: "%", "MB", "times"; empty: a plain number.
[[nodiscard]] std::string typed_unit_name(samples::ResultUnit unit);

// The prediction as text; "-" if there is none.
[[nodiscard]] std::string predicted_words(const samples::Prediction& asked, std::optional<double> predicted);
// The result: the figure. For choices it is the correct choice, with the figure behind it if there is one.
[[nodiscard]] std::string measured_words(const samples::Prediction& asked, const samples::Outcome& outcome);
// "close", "too low: x3.2", ...
[[nodiscard]] std::string verdict_words(const samples::Outcome& outcome);

[[nodiscard]] Text stage_name(LessonStage stage);
// True if every prediction has been made.
[[nodiscard]] bool all_predicted(const LessonState& state);

}  // namespace runahead::gui
