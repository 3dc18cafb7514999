// The words about a lesson's predictions and outcomes, in the language of the window.
#pragma once

#include <optional>
#include <string>

#include "gui/text/text.h"
#include "samples/lessons/prediction.h"

namespace runahead::gui {

// Returns the factor by which the number that the user types is multiplied to get the stored value: 0.01 for
// %, 1e6 for MB.
[[nodiscard]] double typed_unit(samples::ResultUnit unit);
// Returns the unit that is shown after the field for a number: "%", "MB", "times"; empty: a number without a
// unit.
[[nodiscard]] std::string typed_unit_name(samples::ResultUnit unit);

// Returns the prediction as text; "-" if there is none.
[[nodiscard]] std::string predicted_words(const samples::Prediction& asked, std::optional<double> predicted);
// Returns the measured result as text. If the user predicts a number, the text is the measured figure. If the
// user selects a choice, the text is the correct choice and the figure; for a yes-or-no question it is only
// the correct choice.
[[nodiscard]] std::string measured_words(const samples::Prediction& asked, const samples::Outcome& outcome);
// Returns how good the prediction was: "close", "too low: x3.2", ...
[[nodiscard]] std::string verdict_words(const samples::Outcome& outcome);

}  // namespace runahead::gui
