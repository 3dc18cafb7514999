// Formulas over named figures, such as "sync_s / async_s". Grammar: + - * /, parentheses, numbers, names
// (letters, digits, _ and .), and max(a, b), the larger of two. Internal to samples.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

namespace runahead::samples {

// evaluate() returns nothing if the text is not a formula, a name has no value, or the result is not finite
// (a division by 0).
using FigureByName = std::function<std::optional<double>(std::string_view)>;
[[nodiscard]] std::optional<double> evaluate(std::string_view formula, const FigureByName& figure);

}  // namespace runahead::samples
