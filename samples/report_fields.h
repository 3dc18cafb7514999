// Gives names to those figures of a report that have a field in RunReport. A recording stores these figures
// under these names.
#pragma once

#include <map>
#include <string>

#include "samples/runner.h"

namespace runahead::samples {

// "wall_s", "steps_per_s", "peak_bytes", ..., "steps", "ops", "late_ops", "max_run_ahead_steps". Also the
// bytes of each memory category at the peak: "peak_inputs_bytes".
[[nodiscard]] std::map<std::string, double> report_fields(const RunReport& report);
// The inverse of report_fields(). Ignores unknown names. The bytes of a memory category are set as the sum
// over all devices.
void set_report_fields(RunReport& report, const std::map<std::string, double>& fields);

}  // namespace runahead::samples
