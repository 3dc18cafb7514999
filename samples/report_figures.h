// Figures of a report by name, and formulas over them. Internal to samples.
#pragma once

#include <optional>
#include <string_view>

namespace runahead::samples {

struct RunReport;

// A result, a field of the report, "steps", "ops", a parameter, or "peak_inputs_bytes" and its like, of the
// category's bytes at the peak: the first that has this name.
[[nodiscard]] std::optional<double> figure_of(const RunReport& run, std::string_view name);
// Of a formula over such names; nothing: one of them is missing, or it is no number.
[[nodiscard]] std::optional<double> figure_from(const RunReport& run, std::string_view formula);

}  // namespace runahead::samples
