// Figures of a report by name, and formulas over them. Internal to samples.
#pragma once

#include <optional>
#include <string_view>

namespace runahead::samples {

struct RunReport;

// The first of these with that name: a result, a count or field of the report, a parameter, or
// "peak_inputs_bytes" and the like, which are a category's bytes at the peak.
[[nodiscard]] std::optional<double> figure_of(const RunReport& run, std::string_view name);
// The value of a formula over such names. Nothing: a figure is missing, or the result is not a number.
[[nodiscard]] std::optional<double> figure_from(const RunReport& run, std::string_view formula);

}  // namespace runahead::samples
