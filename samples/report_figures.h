// Finds figures of a report by name, and computes formulas that use these figures. Internal to samples.
#pragma once

#include <optional>
#include <string_view>

namespace runahead::samples {

struct RunReport;

// The value of the figure with this name. Searches, in this order: results, counts and fields of the report,
// parameters, and a memory category's bytes at the peak (such as "peak_inputs_bytes").
[[nodiscard]] std::optional<double> figure_of(const RunReport& run, std::string_view name);
// The value of a formula that uses such names. nullopt: a figure is missing, or the result is not a number.
[[nodiscard]] std::optional<double> figure_from(const RunReport& run, std::string_view formula);

}  // namespace runahead::samples
