// Maps names to the figures of a report that have their own fields. These figures are stored with a recording
// and read back.
#pragma once

#include <map>
#include <string>

#include "samples/runner.h"

namespace runahead::samples {

// "wall_s", "steps_per_s", "peak_bytes", ..., "steps", "ops", "late_ops", "max_run_ahead_steps". For each
// category of memory its bytes at the peak: "peak_inputs_bytes".
[[nodiscard]] std::map<std::string, double> report_fields(const RunReport& report);
// The inverse of report_fields(). Ignores unknown names. The result has the bytes of a category summed over
// the devices.
void set_report_fields(RunReport& report, const std::map<std::string, double>& fields);

}  // namespace runahead::samples
