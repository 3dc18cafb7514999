// Finds figures of a report by name, and computes formulas that use these figures. Internal to samples.
#pragma once

#include <optional>
#include <string_view>

namespace runahead::samples {

struct RunReport;

// The value of the figure with this name. Searches in this order: the results, the fields of the report, the
// parameters, the bytes of a memory category at the peak (such as "peak_inputs_bytes").
[[nodiscard]] std::optional<double> figure_of(const RunReport& run, std::string_view name);
// The value of a formula in which the names stand for figures. nullopt: a figure is missing, or the result is
// not a number.
[[nodiscard]] std::optional<double> figure_from(const RunReport& run, std::string_view formula);

}  // namespace runahead::samples
