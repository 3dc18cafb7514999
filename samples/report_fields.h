// Gives a name to each figure that is a field of RunReport. A recording stores the figures under these names.
#pragma once

#include <map>
#include <string>

#include "samples/runner.h"

namespace runahead::samples {

// Returns the figures by name: "wall_s", "steps_per_s", "peak_bytes", ..., "steps", "ops", "late_ops",
// "max_run_ahead_steps". Also the bytes of each memory category at the peak: "peak_inputs_bytes".
[[nodiscard]] std::map<std::string, double> report_fields(const RunReport& report);
// The inverse of report_fields(): sets the fields of `report`. Ignores unknown names. In `fields`, each
// memory category has only one value: the sum over all devices. This sum is stored under the name
// `report.device`.
void set_report_fields(RunReport& report, const std::map<std::string, double>& fields);

}  // namespace runahead::samples
